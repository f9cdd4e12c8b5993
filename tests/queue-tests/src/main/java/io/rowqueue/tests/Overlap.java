package io.rowqueue.tests;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What handlers themselves see of how many of them run at once, whichever worker runs them. */
public final class Overlap {

  /** Afterwards whoever looks may see that they never were enough. */
  private static final Duration LONGEST = Duration.ofSeconds(20);

  private final List<Long> begunNanos = new ArrayList<>();
  private int now;
  private int most;
  private int ended;

  /** A handling that takes {@code time}. */
  public void handle(Duration time) throws InterruptedException {
    begin();
    try {
      new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      end();
    }
  }

  /** The same, but that it does not end before {@code enough} have run at once, once. */
  public void handleTogether(int enough, Duration time) throws InterruptedException {
    begin();
    try {
      awaitTogether(enough);
      new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
    } finally {
      end();
    }
  }

  private synchronized void awaitTogether(int enough) throws InterruptedException {
    long end = System.nanoTime() + LONGEST.toNanos();
    while (most < enough && System.nanoTime() < end) {
      TimeUnit.NANOSECONDS.timedWait(this, end - System.nanoTime());
    }
  }

  private synchronized void begin() {
    begunNanos.add(System.nanoTime());
    now++;
    most = Math.max(most, now);
    notifyAll();
  }

  private synchronized void end() {
    now--;
    ended++;
  }

  /** How many ran at once, at most, since {@link #forget}. */
  public synchronized int most() {
    return most;
  }

  public synchronized void forget() {
    most = now;
  }

  public synchronized int ended() {
    return ended;
  }

  /** When each began, in order, as {@link System#nanoTime}. */
  public synchronized List<Long> begunNanos() {
    return begunNanos.stream().sorted().toList();
  }

  /** The most that began within any {@code time}. */
  public int mostBegunWithin(Duration time) {
    List<Long> begun = begunNanos();
    int first = 0;
    int found = 0;
    for (int last = 0; last < begun.size(); last++) {
      while (begun.get(last) - begun.get(first) >= time.toNanos()) {
        first++;
      }
      found = Math.max(found, last - first + 1);
    }
    return found;
  }
}
