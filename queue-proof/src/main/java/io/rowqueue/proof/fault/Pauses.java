package io.rowqueue.proof.fault;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.random.RandomGenerator;

/** Times that a seed chooses: nothing is awaited, the moment itself is what is tried. */
final class Pauses {

  private Pauses() {}

  /** Somewhere between two numbers of milliseconds. */
  static void between(int least, int most, RandomGenerator random) {
    millis(random.nextInt(least, most + 1));
  }

  static void millis(long millis) {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }
}
