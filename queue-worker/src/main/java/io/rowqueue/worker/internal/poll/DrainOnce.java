package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import java.time.Duration;

/** Processes the available messages, then ends. */
@Singleton
public final class DrainOnce {

  private static final int BATCH = 500;

  /**
   * Every settlement signals when claims run low, so this only limits the delay of a lost signal.
   */
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

  /** Returns when none is left, or when the thread is interrupted. */
  public void run() {
    // Only once: schedules that become due later could keep it running for ever.
    schedules.triggerNow();
    try {
      boolean more = true;
      while (more) {
        // Read first: messages enqueued by a handler before it ended are then found below.
        boolean idle = dispatcher.isIdle();
        // Read before and after the claim: the rate limit may refill in between.
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
  }
}
