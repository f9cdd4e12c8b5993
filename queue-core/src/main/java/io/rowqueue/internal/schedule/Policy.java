package io.rowqueue.internal.schedule;

import io.rowqueue.handler.MisfirePolicy;
import java.time.Duration;
import java.time.Instant;

/**
 * What happens to firings that were missed.
 *
 * @param grace for {@link MisfirePolicy#SKIP}: a firing that is later than this counts as missed
 */
record Policy(MisfirePolicy missed, Duration grace) {

  /** Whether the firing of {@code time} is left out at {@code now}. */
  boolean leavesOut(Instant time, Instant now) {
    return missed == MisfirePolicy.SKIP && time.isBefore(now.minus(grace));
  }
}
