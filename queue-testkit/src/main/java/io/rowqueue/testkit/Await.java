package io.rowqueue.testkit;

import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Waits for a condition that another thread or process fulfills, instead of sleeping for a fixed
 * time. Stateless and thread-safe.
 *
 * <pre>{@code
 * Await.until("all are settled", Duration.ofSeconds(10),
 *     () -> database.count("SELECT COUNT(*) FROM queue_message"), left -> left == 0);
 * }</pre>
 */
public final class Await {

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Await() {}

  /**
   * Evaluates {@code value} every 5 ms until {@code condition} holds for it, at least once. An
   * exception counts as not fulfilled.
   *
   * @param what names the condition in the failure
   * @return the value that fulfilled it
   * @throws AssertionError if it is not fulfilled within {@code longest}, or the thread is
   *     interrupted; shows the last value, or has the last exception as its cause
   */
  public static <T> T until(
      String what, Duration longest, Callable<T> value, Predicate<? super T> condition) {
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    while (true) {
      @Nullable Exception failure = null;
      String last;
      try {
        T seen = value.call();
        if (condition.test(seen)) {
          return seen;
        }
        last = "the last value was " + seen;
      } catch (Exception e) {
        failure = e;
        last = "the last evaluation failed: " + e;
      }
      if (System.nanoTime() >= deadline || Thread.currentThread().isInterrupted()) {
        throw gaveUp(
            "%s, awaited for %s: %s".formatted(what, Humanize.duration(longest), last), failure);
      }
      LockSupport.parkNanos(POLL_NANOS);
    }
  }

  /**
   * Evaluates {@code condition} every 5 ms until it is true, at least once.
   *
   * @param what names the condition in the failure
   * @throws AssertionError if it does not become true within {@code longest}, or the thread is
   *     interrupted
   */
  public static void that(String what, Duration longest, BooleanSupplier condition) {
    until(what, longest, condition::getAsBoolean, holds -> holds);
  }

  private static AssertionError gaveUp(String message, @Nullable Exception failure) {
    if (failure instanceof InterruptedException) {
      Thread.currentThread().interrupt();
    }
    return new AssertionError(
        Thread.currentThread().isInterrupted() ? message + " (interrupted)" : message, failure);
  }
}
