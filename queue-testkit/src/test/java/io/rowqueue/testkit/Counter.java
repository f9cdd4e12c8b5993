package io.rowqueue.testkit;

import java.util.concurrent.atomic.AtomicInteger;

/** How many of something are open, and the most there ever were. */
final class Counter {

  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  void opened() {
    most.accumulateAndGet(open.incrementAndGet(), Math::max);
  }

  void closed() {
    open.decrementAndGet();
  }

  int open() {
    return open.get();
  }

  int most() {
    return most.get();
  }
}
