package io.rowqueue.worker.dispatch;

import io.rowqueue.claim.Claim;
import io.rowqueue.handle.HandlerPipeline;
import io.rowqueue.handle.HandlingWatch;
import io.rowqueue.message.Topic;
import io.rowqueue.worker.Trust;
import io.rowqueue.worker.WorkerThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads that handle: each takes claim after claim until the queue is closed. Thread-safe. */
final class HandlerThreads {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerThreads.class);

  private final WorkerThreads threads;
  private final DispatchQueue queue;
  private final InFlight inFlight;
  private final Trust trust;
  private final HandlerPipeline pipeline;
  private final HandlingWatch watch;
  private final Consumer<Topic> asked;
  private final AtomicInteger busy = new AtomicInteger();
  private final Object idle = new Object();

  /**
   * None yet.
   *
   * @param watch learns of all that they handle
   * @param asked learns of the topic whenever one asks for more than its first claim
   */
  HandlerThreads(
      WorkerThreads threads,
      DispatchQueue queue,
      InFlight inFlight,
      Trust trust,
      HandlerPipeline pipeline,
      HandlingWatch watch,
      Consumer<Topic> asked) {
    this.threads = threads;
    this.queue = queue;
    this.inFlight = inFlight;
    this.trust = trust;
    this.pipeline = pipeline;
    this.watch = watch;
    this.asked = asked;
  }

  /** Starts one more. */
  void start() {
    threads.start("handler", this::handleUntilClosed);
  }

  private void handleUntilClosed() {
    try {
      Claim claim = queue.take();
      while (claim != null) {
        if (!handle(claim)) {
          // The watch has put another thread in this one's place.
          return;
        }
        claim = queue.take();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private boolean handle(Claim first) {
    // Before it starts: whoever stops the worker looks for what waits, and then for who is busy.
    busy.incrementAndGet();
    if (!begin(first)) {
      free(first.topic());
      return true;
    }
    boolean mine = true;
    List<Claim> claims = new ArrayList<>(List.of(first));
    try {
      mine = pipeline.handle(first, () -> takeMore(first.topic(), claims), watch);
    } catch (Throwable e) {
      // Its claims stay in the database and leave the table: reconciliation releases them.
      LOG.error(
          "{} was given up after an unexpected failure; it is released at the next reconciliation",
          first,
          e);
      claims.forEach(inFlight::remove);
    }
    if (mine) {
      free(first.topic());
    }
    return mine;
  }

  /**
   * Whether the claim is still this thread's to handle. One whose lease is in doubt, as after the
   * process stood still, may run elsewhere already: reconciling or reaping finds it.
   */
  private boolean begin(Claim claim) {
    if (!inFlight.start(claim)) {
      return false;
    }
    if (!trust.covers(claim.lockId())) {
      inFlight.remove(claim);
      return false;
    }
    return true;
  }

  /** Another claim of the topic for the same thread; null if none waits. */
  private @Nullable Claim takeMore(Topic topic, List<Claim> claims) {
    Claim claim = queue.takeMore(topic);
    while (claim != null && !begin(claim)) {
      claim = queue.takeMore(topic);
    }
    if (claim != null) {
      claims.add(claim);
    }
    asked.accept(topic);
    return claim;
  }

  /** One that handled {@code topic} handles no more, or was replaced. */
  void free(Topic topic) {
    queue.ended(topic);
    if (busy.decrementAndGet() == 0) {
      lookAgain();
    }
  }

  /** How many of them handle. */
  int busy() {
    return busy.get();
  }

  /**
   * Waits until none handles and {@code all} is so, too; whoever makes it so calls {@link
   * #lookAgain}.
   *
   * @return whether that happened within {@code longest}
   */
  boolean awaitIdle(Duration longest, BooleanSupplier all) {
    long deadline = System.nanoTime() + longest.toNanos();
    synchronized (idle) {
      while (busy.get() > 0 || !all.getAsBoolean()) {
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

  /** What {@link #awaitIdle} waits for may have come. */
  void lookAgain() {
    synchronized (idle) {
      idle.notifyAll();
    }
  }
}
