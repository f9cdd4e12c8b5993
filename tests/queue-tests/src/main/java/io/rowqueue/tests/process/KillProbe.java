package io.rowqueue.tests.process;

import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Stops this process at one COMMIT and asks the test to kill it there. From then on no other
 * transaction commits, so that what the test finds is what that one COMMIT left.
 */
public final class KillProbe implements TransactionProbe {

  /** The environment variable that names the transition. */
  public static final String TRANSITION = "CRASH_TRANSITION";

  /** The environment variable that names the moment. */
  public static final String MOMENT = "CRASH_MOMENT";

  /** The environment variable with the port at which the test listens. */
  public static final String PORT = "CRASH_PORT";

  private final Transition target;
  private final Moment moment;
  private final Socket test;
  private final Set<Thread> committing = new HashSet<>();
  private boolean frozen;

  private KillProbe(Transition target, Moment moment, Socket test) {
    this.target = target;
    this.moment = moment;
    this.test = test;
  }

  /** As the environment says. */
  public static KillProbe ofEnvironment() {
    try {
      return new KillProbe(
          Transition.valueOf(System.getenv(TRANSITION)),
          Moment.valueOf(System.getenv(MOMENT)),
          new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(System.getenv(PORT))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public synchronized void beforeCommit(Transition transition) {
    awaitWhile(() -> frozen);
    committing.add(Thread.currentThread());
    if (transition == target) {
      freeze();
      tellTest();
      if (moment == Moment.BEFORE) {
        awaitDeath();
      }
    }
  }

  @Override
  public synchronized void afterCommit(Transition transition) {
    committing.remove(Thread.currentThread());
    notifyAll();
  }

  @Override
  public synchronized void repeated(Transition transition, Throwable cause) {
    committing.remove(Thread.currentThread());
    notifyAll();
  }

  private void freeze() {
    frozen = true;
    committing.remove(Thread.currentThread());
    awaitWhile(() -> !committing.isEmpty());
  }

  /** Returns when the test has answered. */
  private void tellTest() {
    try {
      test.getOutputStream().write(1);
      if (test.getInputStream().read() < 0) {
        throw new IllegalStateException("the test is gone");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** An interrupted handler that stands here does not slip through. */
  private void awaitWhile(BooleanSupplier condition) {
    boolean interrupted = false;
    while (condition.getAsBoolean()) {
      try {
        wait();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitDeath() {
    awaitWhile(() -> true);
  }

  /** Where in a COMMIT a process dies. */
  public enum Moment {
    /** The work is done, and the COMMIT is not sent. */
    BEFORE,
    /**
     * The server has committed; its answer never reaches the process, or reaches it and nothing is
     * done with it: to the server both are the same.
     */
    DURING;

    @Override
    public String toString() {
      return name().toLowerCase(java.util.Locale.ROOT);
    }
  }
}
