package io.rowqueue.handle;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Times every handling, around all other interceptors: at DEBUG how long it took, at WARN where it
 * took more than half of its timeout, before it begins to be interrupted. Thread-safe.
 */
final class TimingInterceptor {

  private static final Logger LOG = LoggerFactory.getLogger(TimingInterceptor.class);

  private TimingInterceptor() {}

  static HandlerInterceptor of(Duration timeout) {
    return (context, next) -> {
      long start = System.nanoTime();
      try {
        next.proceed();
      } finally {
        report(Duration.ofNanos(System.nanoTime() - start), timeout);
      }
    };
  }

  private static void report(Duration took, Duration timeout) {
    long millis = took.toMillis();
    if (took.compareTo(timeout.dividedBy(2)) > 0 && took.compareTo(timeout) < 0) {
      LOG.warn(
          "handled in {} ms, more than half of its timeout of {} ms; what takes longer is"
              + " interrupted",
          millis,
          timeout.toMillis());
    } else {
      LOG.debug("handled in {} ms", TimeUnit.NANOSECONDS.toMicros(took.toNanos()) / 1e3);
    }
  }
}
