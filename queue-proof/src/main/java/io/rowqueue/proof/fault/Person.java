package io.rowqueue.proof.fault;

import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Somebody who does one thing again and again. What fails for a fault is left. */
final class Person implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Person.class);
  private static final int LEAST_PAUSE_MILLIS = 50;
  private static final int MOST_PAUSE_MILLIS = 250;

  private final Habit habit;
  private final RandomGenerator random;
  private final Thread thread;
  private volatile boolean closed;

  Person(String name, RandomGenerator random, Habit habit) {
    this.habit = habit;
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
      Pauses.between(LEAST_PAUSE_MILLIS, MOST_PAUSE_MILLIS, random);
    }
  }

  /** Does it no more, once it returns. */
  @Override
  public void close() {
    closed = true;
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
