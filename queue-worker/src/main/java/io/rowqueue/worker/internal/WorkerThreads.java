package io.rowqueue.worker.internal;

import com.google.inject.Inject;
import com.google.inject.Key;
import com.google.inject.Singleton;
import com.google.inject.name.Names;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.internal.text.Humanize;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Creates every thread of a worker. A loop survives exceptions: they are logged, and the loop
 * continues after its interval. Thread-safe.
 */
@Singleton
public final class WorkerThreads {

  /** Names the binding of {@link #FACTORY}. */
  public static final String HANDLERS = "rowqueue.handlers";

  /** Creates the threads that run handlers. */
  public static final Key<ThreadFactory> FACTORY =
      Key.get(ThreadFactory.class, Names.named(HANDLERS));

  private static final Logger LOG = LoggerFactory.getLogger(WorkerThreads.class);

  /**
   * Delays an iteration that failed before it waited, which would otherwise be repeated in a busy
   * loop.
   */
  private static final Duration AFTER_FAILURE = Duration.ofMillis(50);

  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private final Map<String, LoopFailures> troubles = new ConcurrentHashMap<>();
  private final AtomicInteger number = new AtomicInteger();
  private final CountDownLatch stopped = new CountDownLatch(1);

  @Inject
  WorkerThreads() {}

  /** Starts a thread that runs {@code work} once. */
  public void start(String name, Runnable work) {
    start(Thread::new, name, work);
  }

  /** Starts a thread of {@code factory} that runs {@code work} once. */
  public void start(ThreadFactory factory, String name, Runnable work) {
    Thread thread =
        factory.newThread(
            () -> {
              try {
                work.run();
              } finally {
                threads.remove(Thread.currentThread());
              }
            });
    thread.setName("queue-" + name + "-" + number.incrementAndGet());
    thread.setUncaughtExceptionHandler(
        (dead, e) -> LOG.error("thread {} ended by {}", dead.getName(), e.toString(), e));
    threads.add(thread);
    try {
      thread.start();
    } catch (Throwable e) {
      threads.remove(thread);
      throw e;
    }
  }

  /**
   * Runs {@code start}, which starts a thread, unless {@code started} is set, and sets it. If the
   * system cannot start a thread, the next call tries again.
   */
  public static void startOnce(AtomicBoolean started, Runnable start) {
    if (started.compareAndSet(false, true)) {
      try {
        start.run();
      } catch (Throwable e) {
        started.set(false);
        throw e;
      }
    }
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
   * Starts a thread that runs {@code turn}, which does its own waiting, repeatedly while {@code
   * wanted} and until the worker stops.
   *
   * @param what names the loop in the log
   */
  public void repeat(String name, String what, BooleanSupplier wanted, Iteration turn) {
    start(name, () -> repeat(what, wanted, turn));
  }

  /** Runs such a loop on the calling thread. */
  public void repeat(String what, BooleanSupplier wanted, Iteration turn) {
    while (wanted.getAsBoolean() && !isStopped()) {
      if (!succeeds(what, turn)) {
        pause(AFTER_FAILURE);
      }
    }
  }

  /**
   * Runs one iteration of a loop. Exceptions do not end the loop; the first failure and the
   * recovery are logged. An interrupt that is not the worker's stop ends the iteration only, since
   * a handler may have kept the thread and interrupted it.
   */
  public void guarded(String name, Iteration turn) {
    boolean unused = succeeds(name, turn);
  }

  private LoopFailures trouble(String name) {
    return troubles.computeIfAbsent(name, loop -> new LoopFailures(loop, LOG, System::nanoTime));
  }

  private boolean succeeds(String name, Iteration turn) {
    LoopFailures trouble = trouble(name);
    try {
      turn.run();
      trouble.succeeded();
      return true;
    } catch (InterruptedException e) {
      LOG.debug("{} was interrupted and continues unless the worker stops", name);
    } catch (Throwable e) {
      trouble.failed(e);
    }
    return false;
  }

  /**
   * Runs one of several steps of an iteration: if the database refuses its statements, or it fails
   * in another way, that is logged and the other steps still run. Every iteration with more than
   * one step runs each of them in this, or in {@link #each}.
   *
   * @return the result of {@code step}; -1 if it failed
   * @throws RuntimeException after a failure of the database that the other steps would meet, too
   */
  public int step(String name, IntSupplier step) {
    LoopFailures trouble = trouble(name);
    try {
      int result = step.getAsInt();
      trouble.succeeded();
      return result;
    } catch (RuntimeException | Error e) {
      if (TransientFailures.isOutage(e)) {
        throw e;
      }
      trouble.failed(e);
      return -1;
    }
  }

  /**
   * Runs {@code work} for each of {@code all}, as one step: what fails for one does not stop the
   * others.
   *
   * @return whether all succeeded
   */
  public <T> boolean each(String name, Iterable<T> all, Consumer<T> work) {
    return step(
            name,
            () -> {
              IndependentParts.each(all, work);
              return 0;
            })
        == 0;
  }

  /** Waits {@code interval}, or until the worker stops. */
  public void pause(Duration interval) {
    try {
      stopped.await(interval.toNanos(), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      // Only a stop interrupts these threads, and the loop's condition detects it.
      LOG.trace("interrupted while pausing", e);
    }
  }

  /** Returns whether the loops must end. */
  public boolean isStopped() {
    return stopped.getCount() == 0;
  }

  /** Ends the loops and interrupts all remaining threads, except one that calls this. */
  public void stop() {
    stopped.countDown();
    threads.stream().filter(thread -> thread != Thread.currentThread()).forEach(Thread::interrupt);
  }

  /** Waits briefly for the threads of a stopped worker. */
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

  /** One iteration of a loop. */
  @FunctionalInterface
  public interface Iteration {

    /** Runs it. */
    void run() throws InterruptedException;
  }

  /**
   * Logs the failures of a loop: each kind once, a persistent failure once a minute, and the
   * recovery, so that an hour without the database does not flood the log. Thread-safe.
   */
  static final class LoopFailures {

    private static final long SAID_AGAIN_NANOS = 60_000_000_000L;

    private final String name;
    private final Logger log;
    private final LongSupplier nanos;
    private volatile int failures;
    private final Set<Class<?>> kinds = new HashSet<>();
    private long saidNanos;

    LoopFailures(String name, Logger log, LongSupplier nanos) {
      this.name = name;
      this.log = log;
      this.nanos = nanos;
    }

    /** Records a failed iteration. Unexpected failures are logged with their stack traces. */
    synchronized void failed(Throwable failure) {
      failures++;
      String why = FailureText.of(failure);
      if (kinds.add(failure.getClass())) {
        Throwable trace = failure instanceof QueueException ? null : failure;
        log.warn("loop {} failed and continues with its next iteration: {}", name, why, trace);
      } else if (nanos.getAsLong() - saidNanos >= SAID_AGAIN_NANOS) {
        log.warn("loop {} still fails after {}: {}", name, failures(), why);
      } else {
        log.debug("loop {} failed again", name, failure);
        return;
      }
      saidNanos = nanos.getAsLong();
    }

    /** Records a successful iteration. */
    void succeeded() {
      if (failures > 0) {
        end();
      }
    }

    private synchronized void end() {
      log.info("loop {} recovered after {}", name, failures());
      failures = 0;
      kinds.clear();
    }

    private String failures() {
      return Humanize.count(failures, "failed iteration");
    }
  }
}
