package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.handle.HandlerRegistry;
import io.rowqueue.worker.WorkerConfig;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * How many more claims the handler threads can use soon, of any topic and of each, by how fast they
 * have been lately. Thread-safe.
 */
final class FreeCapacity {

  private final WorkerConfig config;
  private final HandlerRegistry registry;
  private final ThreadLimits limits;
  private final InFlight inFlight;
  private final DispatchQueue queue;
  private final IntSupplier busy;
  private final PrefetchWindow prefetch;
  private final Map<Topic, PrefetchWindow> byBinding = new ConcurrentHashMap<>();
  private final Map<Topic, FailureBackoff> brakes = new ConcurrentHashMap<>();

  /** Of names that the cluster limits: what else their lane finishes is not theirs to claim. */
  private final Map<Topic, PrefetchWindow> byLimitedName = new ConcurrentHashMap<>();

  /**
   * In a worker whose claims wait in {@code queue}.
   *
   * @param busy how many threads handle
   */
  FreeCapacity(
      WorkerConfig config,
      HandlerRegistry registry,
      ThreadLimits limits,
      InFlight inFlight,
      DispatchQueue queue,
      IntSupplier busy) {
    this.config = config;
    this.registry = registry;
    this.limits = limits;
    this.inFlight = inFlight;
    this.queue = queue;
    this.busy = busy;
    this.prefetch = new PrefetchWindow(config.threads(), config.prefetchCount(), System::nanoTime);
  }

  /**
   * Of any topic, within the bounds of memory. Claims that wait for their own topic's threads keep
   * no idle thread from other topics.
   */
  int ofAll() {
    int idle = idleThreads();
    int waiting = inFlight.waiting();
    int soon = Math.min(idle, queue.runnable());
    int wanted = idle - soon + Math.max(0, prefetch.ahead() - Math.max(0, waiting - soon));
    long bytesLeft = config.prefetchBytes() - inFlight.waitingBytes();
    long rowsOfMemory = Math.max(waiting == 0 ? 1 : 0, bytesLeft / PrefetchWindow.ROW_BYTES);
    int claimsLeft = config.prefetchCount() - inFlight.size();
    return (int) Math.max(0, Math.min(rowsOfMemory, Math.min(wanted, claimsLeft)));
  }

  /** Of {@code topic}; its aliases have the same threads. */
  int of(Topic topic) {
    int wanted = prefetch(topic).refill(queue.running(topic), queue.waiting(topic));
    return brake(topic).limit(wanted, () -> inFlight.held(topic));
  }

  /** Of what lies under just this name, if no more than {@code handlings} may run at once there. */
  int of(Topic name, int handlings) {
    if (handlings == 0) {
      return 0;
    }
    int closed = Math.max(0, limits.maxThreads(name) - handlings);
    int running = queue.runningUnder(name) + closed;
    int refill = prefetchUnder(name).refill(running, queue.waitingUnder(name));
    return Math.min(of(name), refill);
  }

  /** How many threads have nothing to do. */
  int idleThreads() {
    return prefetch.idle(busy.getAsInt());
  }

  /** Whether so much has started, or ended, that it is time to look for more. */
  boolean isLow(Topic topic) {
    return inFlight.waiting() <= prefetch.lowWater()
        || queue.waiting(topic) <= prefetch(topic).lowWater();
  }

  /** A claim of {@code topic} is settled, or given up. */
  void left(Topic topic) {
    prefetch(topic).completed();
    PrefetchWindow limited = byLimitedName.get(topic);
    if (limited != null) {
      limited.completed();
    }
    prefetch.completed();
  }

  /**
   * What became of a message of {@code topic}. The database has taken what an unreadable one wrote,
   * and a brake waits for no more.
   */
  void settled(Topic topic, Outcome outcome) {
    if (outcome.isHandled() || outcome == Outcome.UNREADABLE) {
      brake(topic).release();
    } else if (outcome == Outcome.UNHANDLED) {
      brake(topic).pull();
    }
  }

  /** The cluster limits this name no more. */
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
