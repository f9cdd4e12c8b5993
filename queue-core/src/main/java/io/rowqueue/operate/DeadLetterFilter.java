package io.rowqueue.operate;

import io.rowqueue.Topic;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant; null in a place means any.
 *
 * @param topic where they were enqueued
 * @param reason why they were set aside
 * @param since set aside at this time or later
 * @param until set aside before this time
 */
public record DeadLetterFilter(
    @Nullable Topic topic,
    @Nullable DeadLetterReason reason,
    @Nullable Instant since,
    @Nullable Instant until) {

  /** All of them. */
  public static final DeadLetterFilter ALL = new DeadLetterFilter(null, null, null, null);
}
