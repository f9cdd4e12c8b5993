package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.WorkerConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Computes how many more claims the handler threads can use soon, in total and per topic, from
 * their recent throughput. Thread-safe.
 */
final class FreeCapacity {

  private final WorkerConfig config;
  private final HandlerRegistry registry;
  private final ThreadLimits limits;
  private final InFlight inFlight;
  private final DispatchQueue queue;
  private final HandlerThreads threads;
  private final PrefetchWindow prefetch;
  private final Map<Topic, PrefetchWindow> byBinding = new ConcurrentHashMap<>();
  private final Map<Topic, FailureBackoff> brakes = new ConcurrentHashMap<>();

  /** For names with a cluster-wide limit, whose throughput differs from their lane's. */
  private final Map<Topic, PrefetchWindow> byLimitedName = new ConcurrentHashMap<>();

  /** For a worker whose claims wait in {@code queue} for {@code threads}. */
  FreeCapacity(
      WorkerConfig config,
      HandlerRegistry registry,
      ThreadLimits limits,
      InFlight inFlight,
      DispatchQueue queue,
      HandlerThreads threads) {
    this.config = config;
    this.registry = registry;
    this.limits = limits;
    this.inFlight = inFlight;
    this.queue = queue;
    this.threads = threads;
    this.prefetch = new PrefetchWindow(config.threads(), config.prefetchCount(), System::nanoTime);
  }

  /**
   * Returns the total capacity within the memory limit. Claims that wait for their own topic's
   * threads do not reduce it for other topics. Zero if every thread is abandoned.
   */
  int ofAll() {
    if (threads.working() == 0) {
      return 0;
    }
    int idle = idleThreads();
    int waiting = inFlight.waiting();
    int soon = Math.min(idle, queue.runnable());
    int wanted = idle - soon + Math.max(0, prefetch.ahead() - Math.max(0, waiting - soon));
    long bytesLeft = config.prefetchBytes() - inFlight.waitingBytes();
    long rowsOfMemory = Math.max(waiting == 0 ? 1 : 0, bytesLeft / PrefetchWindow.ROW_BYTES);
    int claimsLeft = config.prefetchCount() - inFlight.size();
    return (int) Math.max(0, Math.min(rowsOfMemory, Math.min(wanted, claimsLeft)));
  }

  /** Returns the capacity of {@code topic}; its aliases share its threads. */
  int of(Topic topic) {
    int wanted = prefetch(topic).refill(queue.running(topic), queue.waiting(topic));
    return brake(topic).limit(wanted, () -> inFlight.held(topic));
  }

  /**
   * Returns the capacity of exactly this name, if at most {@code handlings} of its attempts may run
   * at once.
   */
  int of(Topic name, int handlings) {
    if (handlings == 0) {
      return 0;
    }
    int closed = Math.max(0, limits.maxThreads(name) - handlings);
    int running = queue.runningUnder(name) + closed;
    int refill = prefetchUnder(name).refill(running, queue.waitingUnder(name));
    return Math.min(of(name), refill);
  }

  /** Returns the number of idle threads. */
  int idleThreads() {
    return Math.max(0, threads.working() - threads.busy());
  }

  /** Returns whether enough claims have started or ended for another poll. */
  boolean isLow(Topic topic) {
    return inFlight.waiting() <= prefetch.lowWater()
        || queue.waiting(topic) <= prefetch(topic).lowWater();
  }

  /** Records that a claim of {@code topic} was settled or abandoned. */
  void left(Topic topic) {
    prefetch(topic).completed();
    PrefetchWindow limited = byLimitedName.get(topic);
    if (limited != null) {
      limited.completed();
    }
    prefetch.completed();
  }

  /**
   * Records an outcome for the backoff of {@code topic}. An unreadable message also shows that the
   * database accepts writes, so it ends the backoff.
   */
  void settled(Topic topic, Outcome outcome) {
    if (outcome.isHandled() || outcome == Outcome.UNREADABLE) {
      brake(topic).release();
    } else if (isRefusal(outcome)) {
      brake(topic).pull();
    }
  }

  /** Whether the database has not accepted what ends a claim. */
  static boolean isRefusal(Outcome outcome) {
    return outcome == Outcome.UNHANDLED || outcome == Outcome.GIVEN_UP;
  }

  /** Removes the name's window when its cluster-wide limit is removed. */
  void unlimited(Topic name) {
    byLimitedName.remove(name);
  }

  private FailureBackoff brake(Topic topic) {
    return brakes.computeIfAbsent(topic, one -> new FailureBackoff(System::nanoTime));
  }

  private PrefetchWindow prefetch(Topic topic) {
    return byBinding.computeIfAbsent(registry.binding(topic), this::newPrefetch);
  }

  private PrefetchWindow prefetchUnder(Topic name) {
    return byLimitedName.computeIfAbsent(name, this::newPrefetch);
  }

  private PrefetchWindow newPrefetch(Topic topic) {
    return new PrefetchWindow(limits.maxThreads(topic), config.prefetchCount(), System::nanoTime);
  }
}
