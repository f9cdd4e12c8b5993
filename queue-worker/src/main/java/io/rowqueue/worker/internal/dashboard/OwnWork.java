package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.worker.internal.WorkerObserver;
import java.util.concurrent.atomic.LongAdder;

/** Counts the actions of the worker that serves the dashboard. Thread-safe. */
@Singleton
public final class OwnWork implements WorkerObserver {

  private final LongAdder handled = new LongAdder();
  private final LongAdder failed = new LongAdder();

  @Inject
  OwnWork() {}

  @Override
  public void settled(Claim claim, Outcome outcome) {
    switch (outcome) {
      case ACKED, HANDLED -> handled.increment();
      case RETRIED, DEAD_LETTERED -> failed.increment();
      default -> {
        // Neither success nor failure: the message will be retried, or was not processed.
      }
    }
  }

  long handled() {
    return handled.sum();
  }

  long failed() {
    return failed.sum();
  }
}
