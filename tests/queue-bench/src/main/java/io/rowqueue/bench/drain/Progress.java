package io.rowqueue.bench.drain;

import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How far a drain has come. It is measured from the moment when a tenth is done, so that nobody's
 * start counts, to the moment when nothing is left. Thread-safe.
 */
final class Progress {

  private static final int LONGEST_MINUTES = 10;

  private final Meter meter;
  private final int messages;
  private final int head;
  private final AtomicInteger done = new AtomicInteger();
  private final CountDownLatch all = new CountDownLatch(1);
  private volatile @Nullable Mark from;
  private volatile @Nullable Effort effort;

  Progress(Meter meter, int messages) {
    this.meter = meter;
    this.messages = messages;
    this.head = messages / 10;
  }

  /** How many there are in all. */
  int messages() {
    return messages;
  }

  /** One more is done, or will be with the next COMMIT. */
  void done() {
    done(1);
  }

  /** So many more are. */
  void done(int count) {
    int now = done.addAndGet(count);
    if (now >= head && now - count < head) {
      from = meter.mark();
    }
    if (now >= messages) {
      all.countDown();
    }
  }

  /**
   * Waits until all are done, if not yet committed.
   *
   * @throws IllegalStateException if that takes minutes
   */
  void awaitAll() throws InterruptedException {
    if (!all.await(LONGEST_MINUTES, TimeUnit.MINUTES)) {
      throw new IllegalStateException("%d of %d are done".formatted(done.get(), messages));
    }
  }

  /** Nothing is left; whatever is done from now on is no part of it. */
  void finish() {
    Mark begin = from;
    if (begin == null || done.get() < messages) {
      throw new IllegalStateException("%d of %d are done".formatted(done.get(), messages));
    }
    if (done.get() > messages) {
      throw new IllegalStateException(
          "%d were done of %d, some of them twice".formatted(done.get(), messages));
    }
    effort = meter.since(begin, messages - head);
  }

  /** What it has taken. */
  Effort effort() {
    Effort known = effort;
    if (known == null) {
      throw new IllegalStateException("the drain has not finished");
    }
    return known;
  }
}
