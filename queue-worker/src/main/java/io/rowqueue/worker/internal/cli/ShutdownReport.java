package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Says what a command has done when a signal ends it. The JVM ends the process, and with which
 * code; its shutdown hook lets the step at hand come to its end, so that the outcome is known, and
 * no further one begin. Thread-safe.
 */
final class ShutdownReport {

  private static final String NOTHING = "nothing was changed";

  private final Duration longestStep;
  private final Duration longestRest;
  private boolean requested;
  private boolean running;
  private String done = "";
  private @Nullable String inDoubt;

  ShutdownReport() {
    this(Duration.ofSeconds(5), Duration.ofMillis(500));
  }

  /**
   * With other times, for tests.
   *
   * @param longestStep how long a step may take that a signal finds
   * @param longestRest how long what follows it may take, since a command may wait for its input
   */
  ShutdownReport(Duration longestStep, Duration longestRest) {
    this.longestStep = longestStep;
    this.longestRest = longestRest;
  }

  /** A command begins. */
  synchronized void begin() {
    running = true;
    done = NOTHING;
  }

  /** It has ended, and has said all there is to say. */
  synchronized void end() {
    running = false;
    notifyAll();
  }

  /**
   * Changes something.
   *
   * @param doubt what to say while the outcome is not known
   * @param work returns what is done then
   * @return what {@code work} returned
   * @throws CommandFailure if a signal has ended the command; nothing more is changed then
   */
  <E extends Exception> String step(String doubt, Work<E> work) throws E {
    enter(doubt);
    String told = null;
    try {
      told = work.run();
      return told;
    } finally {
      leave(told);
    }
  }

  /** A change that is made, or not. */
  interface Work<E extends Exception> {
    String run() throws E;
  }

  private synchronized void enter(String doubt) {
    if (requested) {
      throw CommandFailure.failed(
          "a signal has stopped it" + (done.equals(NOTHING) ? " before it changed anything" : ""),
          null);
    }
    inDoubt = doubt;
  }

  /** Within a step, of which a part is done: what to say if the rest fails, and until then. */
  synchronized void reached(String told, String doubt) {
    done = told;
    inDoubt = doubt;
  }

  private synchronized void leave(@Nullable String told) {
    done = told == null ? done : told;
    inDoubt = null;
    notifyAll();
  }

  /** A signal has come: waits for the command's end; if that takes too long, says how far it is. */
  synchronized void requested(Consumer<String> say) {
    requested = true;
    await(() -> inDoubt == null, longestStep);
    await(() -> !running, longestRest);
    if (running) {
      say.accept("a signal has stopped it; " + (inDoubt == null ? done : inDoubt));
    }
  }

  private void await(BooleanSupplier condition, Duration longest) {
    long until = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    try {
      while (!condition.getAsBoolean()) {
        long left = until - System.nanoTime();
        if (left <= 0) {
          return;
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
