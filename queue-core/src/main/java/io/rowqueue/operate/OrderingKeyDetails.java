package io.rowqueue.operate;

import io.rowqueue.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that share an ordering key.
 *
 * @param key the ordering key
 * @param head the one that may be handled, or the first of several; null if there is none just now
 * @param place where that is; null if it is nowhere
 * @param beside how many more may be handled, where the topic has room for several
 * @param waiting how many stand behind it
 */
public record OrderingKeyDetails(
    String key,
    @Nullable MessageId head,
    @Nullable MessageLocation place,
    long beside,
    long waiting) {

  /** Whether a dead letter holds it. */
  public boolean isHeld() {
    return place == MessageLocation.DEAD_LETTER;
  }
}
