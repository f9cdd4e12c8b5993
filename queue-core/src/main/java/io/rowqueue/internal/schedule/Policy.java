package io.rowqueue.internal.schedule;

import io.rowqueue.handler.MisfirePolicy;
import java.time.Duration;
import java.time.Instant;

/**
 * The policy for missed runs.
 *
 * @param grace for {@link MisfirePolicy#SKIP}: a run that is later than this counts as missed
 */
record Policy(MisfirePolicy missed, Duration grace) {

  /** Whether the run at {@code time} is skipped at {@code now}. */
  boolean leavesOut(Instant time, Instant now) {
    return missed == MisfirePolicy.SKIP && time.isBefore(now.minus(grace));
  }
}
