package io.rowqueue.operate;

import io.rowqueue.message.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that share an ordering key.
 *
 * @param key the ordering key
 * @param head the one that may be handled; null if there is none just now
 * @param place where that is; null if it is nowhere
 * @param waiting how many stand behind it
 */
public record FoundLine(String key, @Nullable MessageId head, @Nullable Place place, long waiting) {

  /** Whether a dead letter holds it. */
  public boolean isHeld() {
    return place == Place.DEAD_LETTER;
  }
}
