package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.worker.internal.Signal;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import java.time.Duration;

/** Processes the available messages, then ends. */
@Singleton
public final class DrainOnce {

  /**
   * Every settlement signals when claims run low, so this only limits the delay of a lost signal.
   */
  private static final Duration POLL = Duration.ofMillis(100);

  private final Claimer claimer;
  private final Dispatcher dispatcher;
  private final SchedulePoller schedules;
  private final Signal signal;

  @Inject
  DrainOnce(Claimer claimer, Dispatcher dispatcher, SchedulePoller schedules, Signal signal) {
    this.claimer = claimer;
    this.dispatcher = dispatcher;
    this.schedules = schedules;
    this.signal = signal;
  }

  /**
   * Returns when none is left, when the claimer is stopped, or when the thread is interrupted.
   *
   * @throws QueueException if the database has refused something, after all else
   */
  public void run() {
    try {
      claimer.runHere(this::claimAll);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (QueueException e) {
      // An interrupt may also end the wait for a connection.
      if (!Thread.currentThread().isInterrupted()) {
        throw e;
      }
    }
  }

  private void claimAll() throws InterruptedException {
    // Only once: schedules that become due later could keep it running for ever.
    claimer.step("running schedules", schedules::triggerNow);
    while (!claimer.isStopping()) {
      // Read first: messages enqueued by a handler before it ended are then found below.
      boolean idle = dispatcher.isIdle();
      // Read before and after the claim: the rate limit may refill in between.
      boolean heldBack = claimer.isHeldBack();
      int found = claimer.claimNow();
      if (found == 0 && idle && !heldBack && !claimer.isHeldBack()) {
        claimer.finish();
        return;
      }
      if (found == 0) {
        signal.await(POLL);
      }
    }
  }
}
