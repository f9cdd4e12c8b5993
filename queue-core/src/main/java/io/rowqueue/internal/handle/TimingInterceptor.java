package io.rowqueue.internal.handle;

import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/**
 * Measures every handling, around all other interceptors, and restores the state of its thread.
 * Logs the duration at DEBUG, and at WARN if it took more than half of its timeout, as a warning
 * before timeouts occur. Thread-safe.
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
          "handled in {}, more than half of its timeout of {}; longer handlers are"
              + " interrupted",
          Humanize.duration(took.truncatedTo(ChronoUnit.MILLIS)),
          Humanize.duration(timeout));
    } else {
      LOG.debug("handled in {}", Humanize.duration(took));
    }
  }

  /**
   * Everything of its thread that a handler can change and the next one would find.
   *
   * @param log the log context; null if it is empty
   */
  private record ThreadState(
      @Nullable Map<String, String> log, String name, int priority, @Nullable ClassLoader classes) {

    /** That of this thread, before a handler is called. */
    static ThreadState save() {
      Thread thread = Thread.currentThread();
      return new ThreadState(
          MDC.getCopyOfContextMap(),
          thread.getName(),
          thread.getPriority(),
          thread.getContextClassLoader());
    }

    /** Makes this thread what it was. */
    @SuppressWarnings("ThreadPriorityCheck") // it gets back what it had
    void restore() {
      Thread thread = Thread.currentThread();
      if (log == null) {
        MDC.clear();
      } else {
        MDC.setContextMap(log);
      }
      if (!thread.getName().equals(name)) {
        thread.setName(name);
      }
      if (thread.getPriority() != priority) {
        thread.setPriority(priority);
      }
      if (thread.getContextClassLoader() != classes) {
        thread.setContextClassLoader(classes);
      }
    }
  }
}
