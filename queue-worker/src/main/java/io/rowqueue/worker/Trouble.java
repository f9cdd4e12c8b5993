package io.rowqueue.worker;

import io.rowqueue.QueueException;
import io.rowqueue.database.FailureText;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * What keeps a loop from its work. It is said once, once more each minute while it lasts, and when
 * it is over: a database that is away for an hour must not fill the log. Thread-safe.
 */
final class Trouble {

  private static final long SAID_AGAIN_NANOS = 60_000_000_000L;

  private final String name;
  private final Logger log;
  private final LongSupplier nanos;
  private volatile int turns;
  private @Nullable Class<?> kind;
  private long saidNanos;

  Trouble(String name, Logger log, LongSupplier nanos) {
    this.name = name;
    this.log = log;
    this.nanos = nanos;
  }

  /** A turn has failed. What nobody foresaw comes with its stack trace. */
  synchronized void met(Throwable failure) {
    turns++;
    String why = FailureText.of(failure);
    boolean isNew = kind != failure.getClass();
    if (isNew) {
      Throwable trace = failure instanceof QueueException ? null : failure;
      log.warn("{} failed and goes on with its next turn: {}", name, why, trace);
    } else if (nanos.getAsLong() - saidNanos >= SAID_AGAIN_NANOS) {
      log.warn("{} still fails, {} turns by now: {}", name, turns, why);
    } else {
      log.debug("{} failed again", name, failure);
      return;
    }
    kind = failure.getClass();
    saidNanos = nanos.getAsLong();
  }

  /** A turn has not. */
  void over() {
    if (turns > 0) {
      end();
    }
  }

  private synchronized void end() {
    log.info("{} goes on; {} turns had failed", name, turns);
    turns = 0;
    kind = null;
  }
}
