package io.rowqueue.proof.fault;

import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Somebody who does one thing again and again. What fails for a fault is left. */
final class Person implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Person.class);

  private final Habit habit;
  private final int leastPauseMillis;
  private final int mostPauseMillis;
  private final RandomGenerator random;
  private final Thread thread;
  private volatile boolean closed;

  /** A few times a second. */
  Person(String name, RandomGenerator random, Habit habit) {
    this(name, random, habit, 50, 250);
  }

  /** With a pause of so long between two times. */
  Person(String name, RandomGenerator random, Habit habit, int leastMillis, int mostMillis) {
    this.habit = habit;
    this.leastPauseMillis = leastMillis;
    this.mostPauseMillis = mostMillis;
    this.random = random;
    this.thread = new Thread(this::run, name);
  }

  void start() {
    thread.start();
  }

  private void run() {
    while (!closed) {
      try {
        habit.once();
      } catch (Exception e) {
        LOG.debug("it failed", e);
      }
      Pauses.between(leastPauseMillis, mostPauseMillis, random);
    }
  }

  /** Begins it no more, soon. */
  void end() {
    closed = true;
  }

  /** Does it no more, once it returns. */
  @Override
  public void close() {
    end();
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** What is done again and again. */
  interface Habit {
    void once() throws Exception;
  }
}
