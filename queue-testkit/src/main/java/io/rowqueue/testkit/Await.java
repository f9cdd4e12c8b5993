package io.rowqueue.testkit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Waits for a condition that another thread or process brings about. */
public final class Await {

  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private Await() {}

  /**
   * Looks at {@code value} every 10 ms until {@code condition} holds for it.
   *
   * @param what the condition in words, for the failure
   * @return the value for which it held
   * @throws AssertionError if it does not hold within {@code longest}; it shows the last value
   */
  public static <T> T until(
      String what, Duration longest, Supplier<T> value, Predicate<? super T> condition) {
    long deadline = System.nanoTime() + longest.toNanos();
    T last = value.get();
    while (!condition.test(last)) {
      if (System.nanoTime() >= deadline) {
        throw new AssertionError(
            "within %s: %s; the last value was %s".formatted(longest, what, last));
      }
      LockSupport.parkNanos(LOOK_NANOS);
      last = value.get();
    }
    return last;
  }
}
