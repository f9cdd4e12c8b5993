package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.internal.handle.HandlingListener;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler threads: each takes claims until the queue is closed. A thread whose handler does not
 * end is abandoned and replaced, up to a limit per topic and in total; beyond it, abandoned threads
 * count as busy. Thread-safe.
 */
final class HandlerThreads {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerThreads.class);

  private final WorkerThreads threads;
  private final ThreadFactory factory;
  private final DispatchQueue queue;
  private final InFlight inFlight;
  private final LeaseState leaseState;
  private final HandlerPipeline pipeline;
  private final HandlingListener watch;
  private final Consumer<Topic> requested;
  private final int wanted;
  private final ToIntFunction<Topic> maxThreads;
  private final AtomicInteger busy = new AtomicInteger();
  private final AtomicInteger alive = new AtomicInteger();
  private final Map<Topic, Integer> abandoned = new ConcurrentHashMap<>();
  private final Map<Topic, Integer> stillCounted = new ConcurrentHashMap<>();
  private final Object idle = new Object();

  /**
   * Starts no thread yet.
   *
   * @param wanted the number of threads
   * @param maxThreads the limit for each topic
   * @param factory creates them
   * @param watch receives events of all attempts
   * @param requested called with the topic whenever a thread asks for more than its first claim,
   *     and when it is idle again
   */
  HandlerThreads(
      int wanted,
      ToIntFunction<Topic> maxThreads,
      WorkerThreads threads,
      ThreadFactory factory,
      DispatchQueue queue,
      InFlight inFlight,
      LeaseState leaseState,
      HandlerPipeline pipeline,
      HandlingListener watch,
      Consumer<Topic> requested) {
    this.wanted = wanted;
    this.maxThreads = maxThreads;
    this.threads = threads;
    this.factory = factory;
    this.queue = queue;
    this.inFlight = inFlight;
    this.leaseState = leaseState;
    this.pipeline = pipeline;
    this.watch = watch;
    this.requested = requested;
  }

  /**
   * Starts the missing threads, within the limits. For one thread at a time.
   *
   * @throws OutOfMemoryError if the system cannot start a thread; try again later
   */
  void startMissing() {
    while (!threads.isStopped() && working() < wanted && alive.get() < 2 * wanted) {
      alive.incrementAndGet();
      boolean started = false;
      try {
        threads.start(factory, "handler", this::handleUntilClosed);
        started = true;
      } finally {
        if (!started) {
          alive.decrementAndGet();
        }
      }
    }
  }

  /** Returns the number of threads that take claims. */
  int working() {
    return alive.get() - abandoned();
  }

  /** Returns the number of threads abandoned to handlers that do not end. */
  int abandoned() {
    return abandoned.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Returns whether threads are missing, or a topic has none, because too many are abandoned. */
  boolean exhausted() {
    return abandoned() > wanted
        || stillCounted.entrySet().stream()
            .anyMatch(one -> one.getValue() >= maxThreads.applyAsInt(one.getKey()));
  }

  private void handleUntilClosed() {
    try {
      Claim claim = take();
      while (claim != null && handle(claim)) {
        claim = take();
      }
    } finally {
      alive.decrementAndGet();
    }
  }

  /** The interrupt was meant for an attempt that has already ended. */
  private @Nullable Claim take() {
    while (true) {
      try {
        return queue.take();
      } catch (InterruptedException e) {
        if (threads.isStopped()) {
          return null;
        }
        LOG.debug("interrupted between two messages, for example by a timer of a handler");
      }
    }
  }

  private boolean handle(Claim first) {
    // Counted before the start, since a stopping worker checks for waiting claims first and for
    // busy threads second.
    busy.incrementAndGet();
    boolean mine = true;
    try {
      mine = !begin(first) || handleStarted(first);
    } finally {
      if (mine) {
        free(first.topic());
      } else {
        endedAfterAll(first.topic());
      }
      // Last: a claimer that looks at what a thread could use must not find this one busy.
      requested.accept(first.topic());
    }
    return mine;
  }

  private boolean handleStarted(Claim first) {
    List<Claim> claims = new ArrayList<>(List.of(first));
    try {
      return pipeline.handle(first, () -> takeMore(first.topic(), claims), watch);
    } catch (Throwable e) {
      // First, so that reconciliation releases what is still claimed even if the log fails, too.
      claims.forEach(inFlight::remove);
      LOG.error(
          "{} was abandoned after an unexpected failure; if it is not settled, it is released at"
              + " the next reconciliation",
          first,
          e);
      return true;
    }
  }

  /**
   * Returns whether the claim is still this thread's to process. If the lease is in doubt, for
   * example after a process suspension, another worker may have it: reconciliation or the reaper
   * resolves that.
   */
  private boolean begin(Claim claim) {
    if (!inFlight.start(claim)) {
      return false;
    }
    if (!leaseState.covers(claim.lockId())) {
      inFlight.remove(claim);
      return false;
    }
    return true;
  }

  /** Takes another claim of the topic for the same thread; null if none waits. */
  private @Nullable Claim takeMore(Topic topic, List<Claim> claims) {
    boolean leaveToIdle = pipeline.prefersIdleThreads(topic) && busy.get() < working();
    Claim claim = queue.takeMore(topic, leaveToIdle);
    while (claim != null && !begin(claim)) {
      claim = queue.takeMore(topic, leaveToIdle);
    }
    if (claim != null) {
      claims.add(claim);
    }
    requested.accept(topic);
    return claim;
  }

  /** Records that a thread that processed {@code topic} was abandoned. */
  synchronized void abandon(Topic topic) {
    if (abandoned.merge(topic, 1, Integer::sum) <= maxThreads.applyAsInt(topic)) {
      queue.ended(topic);
    } else {
      stillCounted.merge(topic, 1, Integer::sum);
    }
    idle();
  }

  private synchronized void endedAfterAll(Topic topic) {
    if (stillCounted.containsKey(topic)) {
      less(stillCounted, topic);
      queue.ended(topic);
    }
    less(abandoned, topic);
  }

  private static void less(Map<Topic, Integer> counts, Topic topic) {
    counts.computeIfPresent(topic, (one, count) -> count == 1 ? null : count - 1);
  }

  private void free(Topic topic) {
    queue.ended(topic);
    idle();
  }

  private void idle() {
    // One may be the thread that waits for the others.
    if (busy.decrementAndGet() <= 1) {
      pollAgain();
    }
  }

  /** Returns the number of busy threads. */
  int busy() {
    return busy.get();
  }

  /**
   * Waits until {@code all} is true. It is read again when at most one thread is busy; other code
   * that makes it true must call {@link #pollAgain}.
   *
   * @return whether that happened within {@code longest}
   */
  boolean awaitIdle(Duration longest, BooleanSupplier all) {
    long deadline = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    synchronized (idle) {
      while (!all.getAsBoolean()) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        try {
          TimeUnit.NANOSECONDS.timedWait(idle, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return true;
    }
  }

  /** Makes {@link #awaitIdle} check its condition again. */
  void pollAgain() {
    synchronized (idle) {
      idle.notifyAll();
    }
  }
}
