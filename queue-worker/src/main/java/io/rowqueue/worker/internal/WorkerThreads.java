package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes every thread of a worker. A loop started here never dies of an exception: it is logged, and
 * the loop goes on after its interval. Thread-safe.
 */
@Singleton
public final class WorkerThreads {

  private static final Logger LOG = LoggerFactory.getLogger(WorkerThreads.class);

  /** A turn that fails before it has waited would be repeated without end. */
  private static final Duration AFTER_FAILURE = Duration.ofMillis(50);

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Map<String, Trouble> troubles = new ConcurrentHashMap<>();
  private final AtomicInteger number = new AtomicInteger();
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Inject
  WorkerThreads() {}

  /** Starts a thread that runs {@code work} once. */
  public void start(String name, Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } finally {
                threads.remove(Thread.currentThread());
              }
            },
            "queue-" + name + "-" + number.incrementAndGet());
    thread.setUncaughtExceptionHandler(
        (dead, e) -> LOG.error("thread {} ended by {}", dead.getName(), e.toString(), e));
    threads.add(thread);
    thread.start();
  }

  /** Starts a thread that runs {@code turn} every {@code interval} until the worker stops. */
  public void loop(String name, Duration interval, Iteration turn) {
    start(
        name,
        () -> {
          while (!isStopped()) {
            guarded(name, turn);
            pause(interval);
          }
        });
  }

  /**
   * Starts a thread that runs {@code turn}, which waits by itself, again and again while {@code
   * wanted} and until the worker stops.
   *
   * @param what it does, for the log
   */
  public void repeat(String name, String what, BooleanSupplier wanted, Iteration turn) {
    start(name, () -> repeat(what, wanted, turn));
  }

  /** The same on the calling thread. */
  public void repeat(String what, BooleanSupplier wanted, Iteration turn) {
    while (wanted.getAsBoolean() && !isStopped()) {
      if (!succeeds(what, turn)) {
        pause(AFTER_FAILURE);
      }
    }
  }

  /**
   * Runs one turn of a loop; whatever it throws leaves the loop alive, and is logged when it begins
   * and when it is over. An interrupt that is not the worker's stop ends the turn only: a handler's
   * code may have kept the thread.
   */
  public void guarded(String name, Iteration turn) {
    boolean unused = succeeds(name, turn);
  }

  private boolean succeeds(String name, Iteration turn) {
    Trouble trouble =
        troubles.computeIfAbsent(name, loop -> new Trouble(loop, LOG, System::nanoTime));
    try {
      turn.run();
      trouble.over();
      return true;
    } catch (InterruptedException e) {
      LOG.debug("{} was interrupted and continues unless the worker stops", name);
    } catch (Throwable e) {
      trouble.met(e);
    }
    return false;
  }

  /** Waits {@code interval}, or until the worker stops. */
  public void pause(Duration interval) {
    try {
      stopped.await(interval.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // Only a stop interrupts these threads, and the loop's condition sees it.
      LOG.trace("interrupted while pausing", e);
    }
  }

  /** Whether the loops are to end. */
  public boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Ends the loops and interrupts every thread that is left. */
  public void stop() {
    stopped.countDown();
    threads.forEach(Thread::interrupt);
  }

  /** Waits a little for the threads of a worker that was stopped. */
  void join() {
    long deadline = System.nanoTime() + Duration.ofSeconds(5).toNanos();
    for (Thread thread : threads) {
      join(thread, deadline);
    }
  }

  private static void join(Thread thread, long deadline) {
    long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
    if (thread == Thread.currentThread() || millis <= 0) {
      return;
    }
    try {
      thread.join(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One turn of a loop. */
  @FunctionalInterface
  public interface Iteration {

    /** Runs it. */
    void run() throws InterruptedException;
  }
}
