package io.rowqueue.internal.handle;

import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Times every handling, around all other interceptors, and has its thread be as before: at DEBUG
 * how long it took, at WARN where it took more than half of its timeout, before it begins to be
 * interrupted. Thread-safe.
 */
final class TimingInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(TimingInterceptor.class);

  private TimingInterceptor() {}

  static HandlerInterceptor of(Duration timeout) {
    return (context, next) -> {
      ThreadState before = ThreadState.save();
      long start = System.nanoTime();
      try {
        next.proceed();
      } finally {
        before.restore();
        report(Duration.ofNanos(System.nanoTime() - start), timeout);
      }
    };
  }

  private static void report(Duration took, Duration timeout) {
    if (took.compareTo(timeout.dividedBy(2)) > 0 && took.compareTo(timeout) < 0) {
      LOG.warn(
          "handled in {}, more than half of its timeout of {}; what takes longer is"
              + " interrupted",
          Humanize.duration(took.truncatedTo(ChronoUnit.MILLIS)),
          Humanize.duration(timeout));
    } else {
      LOG.debug("handled in {}", Humanize.duration(took));
    }
  }
}
