package io.rowqueue.order;

import io.rowqueue.message.TopicKeyId;
import org.jspecify.annotations.Nullable;

/**
 * A locked row of the heads.
 *
 * @param line its primary key
 * @param messageId the one of its line that may be handled; null if there is none
 * @param nextFrom nothing waits below it, but what is announced
 */
record Head(TopicKeyId line, @Nullable Long messageId, long nextFrom) {

  /** The same with another head. */
  Head withMessage(@Nullable Long id, long from) {
    return new Head(line, id, from);
  }

  /** The same without a head, looking from {@code id} on. */
  Head freed(long id) {
    return new Head(line, null, Math.min(nextFrom, id));
  }
}
