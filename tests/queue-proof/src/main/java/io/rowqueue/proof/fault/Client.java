package io.rowqueue.proof.fault;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A thread that repeats one action, with pauses that a seed chooses. Failures are ignored. */
final class Client implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Client.class);
  private static final long LONGEST_END_MILLIS = TimeUnit.MINUTES.toMillis(2);

  private final Action action;
  private final int leastPauseMillis;
  private final int mostPauseMillis;
  private final RandomGenerator random;
  private final Thread thread;
  private volatile boolean closed;

  /** A few times a second. */
  Client(String name, long seed, Action action) {
    this(name, seed, action, 50, 250);
  }

  /** With a pause of so long between two times. */
  Client(String name, long seed, Action action, int leastMillis, int mostMillis) {
    this.action = action;
    this.leastPauseMillis = leastMillis;
    this.mostPauseMillis = mostMillis;
    this.random = seeded(seed);
    this.thread = new Thread(this::run, name);
  }

  /** Choices that {@code seed} repeats, for one thread. */
  static RandomGenerator seeded(long seed) {
    return RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
  }

  /** Waits somewhere between two numbers of milliseconds: the moment itself is what is tried. */
  static void pause(int least, int most, RandomGenerator random) {
    pause(random.nextInt(least, most + 1));
  }

  /** Waits, whether the thread is interrupted or not. */
  static void pause(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closed) {
      try {
        action.once();
      } catch (Exception e) {
        LOG.debug("{} failed", thread.getName(), e);
      }
      pause(leastPauseMillis, mostPauseMillis, random);
    }
  }

  void end() {
    closed = true;
  }

  @Override
  public void close() {
    end();
    try {
      thread.join(LONGEST_END_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  interface Action {
    void once() throws Exception;
  }
}
