package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import java.sql.SQLException;

/** Counts retried transactions, mostly after deadlocks. */
@Singleton
public final class MeteredTransactions implements TransactionProbe {

  static final String REPETITIONS = "rowqueue.repetitions";

  private static final int DEADLOCK = 1213;
  private static final int LOCK_WAIT = 1205;

  private final MeterRegistry meters;

  @Inject
  MeteredTransactions(MeterRegistry meters) {
    this.meters = meters;
    count(Transition.CLAIM, "deadlock", 0);
  }

  @Override
  public void repeated(Transition transition, Throwable cause) {
    count(transition, kind(cause), 1);
  }

  private void count(Transition transition, String cause, int times) {
    meters.counter(REPETITIONS, "transition", transition.label(), "cause", cause).increment(times);
  }

  private static String kind(Throwable failure) {
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < 20; depth++) {
      if (cause instanceof SQLException error) {
        return switch (error.getErrorCode()) {
          case DEADLOCK -> "deadlock";
          case LOCK_WAIT -> "lock-wait";
          default -> "other";
        };
      }
      cause = cause.getCause();
    }
    return "other";
  }
}
