package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import java.time.Duration;

/** Handles what there is, and ends. */
@Singleton
public final class DrainOnce {

  private static final int BATCH = 500;

  /** Every settlement raises the signal when claims run low, so this only bounds a lost one. */
  private static final Duration POLL = Duration.ofMillis(100);

  private final ClaimStore claims;
  private final Claimer claimer;
  private final Dispatcher dispatcher;
  private final SchedulePoller schedules;
  private final Signal signal;

  @Inject
  DrainOnce(
      ClaimStore claims,
      Claimer claimer,
      Dispatcher dispatcher,
      SchedulePoller schedules,
      Signal signal) {
    this.claims = claims;
    this.claimer = claimer;
    this.dispatcher = dispatcher;
    this.schedules = schedules;
    this.signal = signal;
  }

  /** Returns how many handlings there were. */
  public int run() {
    // Once: a schedule that comes due meanwhile would keep it from its end.
    schedules.fireNow();
    try {
      boolean more = true;
      while (more) {
        // Asked first: what a handler enqueued before it ended is then found below.
        boolean idle = dispatcher.isIdle();
        // Asked before and after: a rate may fill up between the claim and the question.
        boolean heldBack = claimer.isHeldBack();
        int found = claims.promote(BATCH) + claimer.claimNow();
        more = found > 0 || !idle || heldBack || claimer.isHeldBack();
        if (found == 0 && more) {
          signal.await(POLL);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return dispatcher.handled();
  }
}
