package io.rowqueue.internal.operate;

import org.jspecify.annotations.Nullable;

/**
 * What holds for a topic's handlings in the whole cluster.
 *
 * @param inFlight how many run at once; null for as many as its workers like
 * @param perSecond how many messages are begun a second; null for as many as its workers like
 */
public record TopicLimits(@Nullable Integer inFlight, @Nullable Integer perSecond) {

  /** No limit. */
  public static final TopicLimits NONE = new TopicLimits(null, null);
}
