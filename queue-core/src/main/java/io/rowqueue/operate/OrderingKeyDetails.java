package io.rowqueue.operate;

import io.rowqueue.MessageId;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a topic that share an ordering key.
 *
 * @param key the ordering key
 * @param head the message that may be handled, or the first of several; null if there is none at
 *     the moment
 * @param place its location; null if there is none
 * @param concurrent how many more may be handled concurrently, if the topic allows several
 * @param waiting how many wait behind it
 */
public record OrderingKeyDetails(
    String key,
    @Nullable MessageId head,
    @Nullable MessageLocation place,
    long concurrent,
    long waiting) {

  /** Whether a dead letter blocks it. */
  public boolean isHeld() {
    return place == MessageLocation.DEAD_LETTER;
  }
}
