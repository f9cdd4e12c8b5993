package io.rowqueue.worker.dispatch;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.handle.HandlerPipeline;
import io.rowqueue.handle.HandlerRegistry;
import io.rowqueue.handle.Handling;
import io.rowqueue.handle.HandlingWatch;
import io.rowqueue.handle.Outcome;
import io.rowqueue.message.Topic;
import io.rowqueue.worker.Signal;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerThreads;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Gives claims to handler threads and knows every one of them until it ends. Thread-safe. */
@Singleton
public final class Dispatcher implements HandlingWatch {

  private static final Logger LOG = LoggerFactory.getLogger(Dispatcher.class);

  private final WorkerConfig config;
  private final HandlerPipeline pipeline;
  private final HandlerRegistry registry;
  private final WorkerThreads threads;
  private final Signal claimer;
  private final InFlight inFlight = new InFlight();
  private final DispatchQueue queue;
  private final Prefetch prefetch;
  private final Map<Topic, Prefetch> byTopic = new ConcurrentHashMap<>();
  private final Map<Handling, Overdue> running = new ConcurrentHashMap<>();
  private final AtomicInteger busy = new AtomicInteger();

  @Inject
  Dispatcher(
      WorkerConfig config,
      HandlerPipeline pipeline,
      HandlerRegistry registry,
      WorkerThreads threads,
      Signal claimer) {
    this.config = config;
    this.pipeline = pipeline;
    this.registry = registry;
    this.threads = threads;
    this.claimer = claimer;
    this.queue = new DispatchQueue(this::maxThreads);
    this.prefetch = new Prefetch(config.threads(), config.maxClaimed());
  }

  /** Starts the handler threads and the watch over their time. */
  public void start() {
    for (int i = 0; i < config.threads(); i++) {
      startThread();
    }
    threads.loop("watch", Duration.ofMillis(100), this::watch);
  }

  private void startThread() {
    threads.start("handler", this::handleUntilClosed);
  }

  /** Takes over claims; each is handled, or given back. */
  public void dispatch(List<Claim> claims) {
    for (Claim claim : claims) {
      inFlight.add(claim);
      queue.add(claim);
    }
  }

  /**
   * How many more claims the handler threads can use soon, within the bounds of memory. Claims that
   * wait for their own topic's threads keep no idle thread from other topics.
   */
  public int room() {
    int idle = prefetch.idle(busy.get());
    int waiting = inFlight.waiting();
    int soon = Math.min(idle, queue.runnable());
    int wanted = idle - soon + Math.max(0, prefetch.ahead() - Math.max(0, waiting - soon));
    long bytesLeft = config.claimedBytes() - inFlight.waitingBytes();
    long rowsOfMemory = Math.max(waiting == 0 ? 1 : 0, bytesLeft / Prefetch.ROW_BYTES);
    int claimsLeft = config.maxClaimed() - inFlight.size();
    return (int) Math.max(0, Math.min(rowsOfMemory, Math.min(wanted, claimsLeft)));
  }

  /** How many more claims of {@code topic} the threads that it may have can use soon. */
  public int room(Topic topic) {
    int wanted = prefetch(topic).wanted(queue.running(topic));
    return Math.max(0, wanted - queue.waiting(topic));
  }

  private Prefetch prefetch(Topic topic) {
    return byTopic.computeIfAbsent(
        topic, one -> new Prefetch(maxThreads(one), config.maxClaimed()));
  }

  private int maxThreads(Topic topic) {
    return Math.min(registry.policy(topic).maxThreads(), config.threads());
  }

  /** Whether a message with a lost claim behind it is among the claims. */
  public boolean hasSuspect() {
    return inFlight.suspects() > 0;
  }

  /** The keys of all claims that are not settled. */
  public Set<ClaimKey> known() {
    return inFlight.keys();
  }

  /** Takes back the claims that have waited at least {@code longest} for a thread. */
  public List<Claim> takeWaiting(Duration longest) {
    List<Claim> taken = inFlight.takeWaiting(longest);
    if (!taken.isEmpty()) {
      queue.remove(taken);
    }
    return taken;
  }

  /** The claims that {@link #takeWaiting} took are given back. */
  public void forget(List<Claim> claims) {
    inFlight.removeAll(claims);
  }

  /** Drops every claim that has not started: they are no longer this worker's. */
  public void giveUpWaiting() {
    queue.clear();
    forget(inFlight.takeWaiting(Duration.ZERO));
  }

  /**
   * Waits until no handler runs.
   *
   * @return whether that happened within {@code longest}
   */
  public boolean awaitIdle(Duration longest) {
    long deadline = System.nanoTime() + longest.toNanos();
    synchronized (running) {
      while (busy.get() > 0) {
        long left = deadline - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        try {
          java.util.concurrent.TimeUnit.NANOSECONDS.timedWait(running, left);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return false;
        }
      }
      return true;
    }
  }

  /** Interrupts every running handler because the worker stops. */
  public void stopRunning() {
    running.keySet().forEach(Handling::stop);
  }

  /** Lets idle threads end. */
  public void close() {
    queue.close();
  }

  private void handleUntilClosed() {
    try {
      Claim claim = queue.take();
      while (claim != null) {
        if (handle(claim) == Outcome.ABANDONED) {
          // The watch has put another thread in this one's place.
          return;
        }
        claim = queue.take();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Outcome handle(Claim claim) {
    busy.incrementAndGet();
    Outcome outcome = Outcome.GIVEN_UP;
    try {
      outcome = inFlight.start(claim) ? pipeline.handle(claim, this) : Outcome.RELEASED;
    } catch (Throwable e) {
      // The claim stays in the database and leaves the table: reconciliation releases it.
      LOG.error("{} was given up after an unexpected failure", claim, e);
    }
    if (outcome != Outcome.ABANDONED) {
      settled(claim);
    }
    return outcome;
  }

  private void settled(Claim claim) {
    inFlight.remove(claim);
    queue.ended(claim.topic());
    Prefetch ofTopic = prefetch(claim.topic());
    ofTopic.completed();
    prefetch.completed();
    if (busy.decrementAndGet() == 0) {
      synchronized (running) {
        running.notifyAll();
      }
    }
    if (claim.suspect()
        || inFlight.waiting() <= prefetch.lowWater()
        || queue.waiting(claim.topic()) <= ofTopic.lowWater()) {
      claimer.raise();
    }
  }

  @Override
  public void begun(Handling handling) {
    running.put(handling, new Overdue());
  }

  @Override
  public void ended(Handling handling) {
    running.remove(handling);
  }

  private void watch() {
    running.forEach(
        (handling, overdue) -> {
          if (overdue.step(handling)) {
            takeOver(handling);
          }
        });
  }

  private void takeOver(Handling handling) {
    Claim claim = handling.claim();
    running.remove(handling);
    LOG.error(
        "the handler of {} heeds no interrupt; its thread is left to itself and replaced", claim);
    startThread();
    try {
      pipeline.settleAbandoned(handling);
    } finally {
      settled(claim);
    }
  }
}
