package io.rowqueue.worker.internal;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Logs the failures of a loop: each kind once, a persistent failure once a minute, and the
 * recovery, so that an hour without the database does not flood the log. Thread-safe.
 */
final class LoopFailures {

  private static final long SAID_AGAIN_NANOS = 60_000_000_000L;

  private final String name;
  private final Logger log;
  private final LongSupplier nanos;
  private volatile int failures;
  private final Set<Class<?>> kinds = new HashSet<>();
  private long saidNanos;

  LoopFailures(String name, Logger log, LongSupplier nanos) {
    this.name = name;
    this.log = log;
    this.nanos = nanos;
  }

  /** Records a failed iteration. Unexpected failures are logged with their stack traces. */
  synchronized void failed(Throwable failure) {
    failures++;
    String why = FailureText.of(failure);
    if (kinds.add(failure.getClass())) {
      Throwable trace = failure instanceof QueueException ? null : failure;
      log.warn("loop {} failed and continues with its next iteration: {}", name, why, trace);
    } else if (nanos.getAsLong() - saidNanos >= SAID_AGAIN_NANOS) {
      log.warn("loop {} still fails after {}: {}", name, failures(), why);
    } else {
      log.debug("loop {} failed again", name, failure);
      return;
    }
    saidNanos = nanos.getAsLong();
  }

  /** Records a successful iteration. */
  void succeeded() {
    if (failures > 0) {
      end();
    }
  }

  private synchronized void end() {
    log.info("loop {} recovered after {}", name, failures());
    failures = 0;
    kinds.clear();
  }

  private String failures() {
    return Humanize.count(failures, "failed iteration");
  }
}
