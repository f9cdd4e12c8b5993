package io.rowqueue.internal.operate;

import org.jspecify.annotations.Nullable;

/**
 * Limits of a topic across all workers.
 *
 * @param inFlight maximum number of concurrent handler calls; null for no limit
 * @param perSecond maximum number of messages started per second; null for no limit
 */
public record TopicLimits(@Nullable Integer inFlight, @Nullable Integer perSecond) {

  /** No limit. */
  public static final TopicLimits NONE = new TopicLimits(null, null);
}
