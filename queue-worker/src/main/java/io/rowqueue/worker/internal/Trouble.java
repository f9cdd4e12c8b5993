package io.rowqueue.worker.internal;

import io.rowqueue.QueueException;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * What keeps a loop from its work. Each kind of failure is said once, whatever lasts once more each
 * minute, and when it is over: a database that is away for an hour must not fill the log.
 * Thread-safe.
 */
final class Trouble {

  private static final long SAID_AGAIN_NANOS = 60_000_000_000L;

  private final String name;
  private final Logger log;
  private final LongSupplier nanos;
  private volatile int turns;
  private final Set<Class<?>> kinds = new HashSet<>();
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
    if (kinds.add(failure.getClass())) {
      Throwable trace = failure instanceof QueueException ? null : failure;
      log.warn("loop {} failed and goes on with its next turn: {}", name, why, trace);
    } else if (nanos.getAsLong() - saidNanos >= SAID_AGAIN_NANOS) {
      log.warn("loop {} still fails and is tried again, {} by now: {}", name, turns(), why);
    } else {
      log.debug("loop {} failed again", name, failure);
      return;
    }
    saidNanos = nanos.getAsLong();
  }

  /** A turn has not. */
  void over() {
    if (turns > 0) {
      end();
    }
  }

  private synchronized void end() {
    log.info("loop {} goes on; {} had failed", name, turns());
    turns = 0;
    kinds.clear();
  }

  private String turns() {
    return Humanize.count(turns, "turn");
  }
}
