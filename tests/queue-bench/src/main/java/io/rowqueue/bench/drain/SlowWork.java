package io.rowqueue.bench.drain;

import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;

/** What a slow handler does, and how much of their time its threads do it. Thread-safe. */
final class SlowWork {

  private final long shortest;
  private final long longest;
  private final LongAdder busy = new LongAdder();

  /** It takes from {@code shortest} to {@code longest}, each as likely as the other. */
  SlowWork(Duration shortest, Duration longest) {
    this.shortest = shortest.toNanos();
    this.longest = longest.toNanos();
  }

  /** Waits, as for somebody else's answer; an interrupt ends it. */
  void happen() {
    long start = System.nanoTime();
    long end = start + ThreadLocalRandom.current().nextLong(shortest, longest + 1);
    while (System.nanoTime() < end && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    busy.add(System.nanoTime() - start);
  }

  /**
   * The share of the next {@code seconds} that {@code threads} threads are busy: of what ends in
   * them, since what began before makes up for what ends after.
   */
  double share(int threads, int seconds) {
    long from = System.nanoTime();
    long before = busy.sum();
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
    long spent = System.nanoTime() - from;
    return (busy.sum() - before) / ((double) spent * threads);
  }
}
