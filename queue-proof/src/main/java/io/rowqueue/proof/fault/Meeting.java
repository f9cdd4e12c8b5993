package io.rowqueue.proof.fault;

import java.util.OptionalLong;
import java.util.concurrent.Exchanger;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/** Where two wait for each other, to do one thing at one moment. Thread-safe. */
final class Meeting {

  private static final int LONGEST_WAIT_MILLIS = 250;

  private final Exchanger<Long> numbers = new Exchanger<>();
  private final AtomicLong last = new AtomicLong();

  /** The number of this meeting, which both are given, and nobody again; empty if nobody comes. */
  OptionalLong await() {
    long mine = last.incrementAndGet();
    try {
      return OptionalLong.of(
          Math.max(mine, numbers.exchange(mine, LONGEST_WAIT_MILLIS, TimeUnit.MILLISECONDS)));
    } catch (TimeoutException e) {
      return OptionalLong.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return OptionalLong.empty();
    }
  }
}
