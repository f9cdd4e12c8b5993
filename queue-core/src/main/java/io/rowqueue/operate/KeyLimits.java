package io.rowqueue.operate;

import org.jspecify.annotations.Nullable;

/**
 * What holds, in the whole cluster, for the messages of a topic that share an ordering key.
 *
 * @param inFlight how many are handled at once; null for one after the other
 * @param perSecond how many begin a second; null for as many as there is room for
 */
public record KeyLimits(@Nullable Integer inFlight, @Nullable Integer perSecond) {

  /** One after the other, as fast as they are handled. */
  public static final KeyLimits NONE = new KeyLimits(null, null);
}
