package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A filter for dead letters; null means any.
 *
 * @param topic their topic
 * @param reason their reason
 * @param since dead-lettered at this time or later
 * @param until dead-lettered before this time
 */
public record DeadLetterFilter(
    @Nullable Topic topic,
    @Nullable DeadLetterReason reason,
    @Nullable Instant since,
    @Nullable Instant until) {

  /** All dead letters. */
  public static final DeadLetterFilter ALL = new DeadLetterFilter(null, null, null, null);
}
