package io.rowqueue.worker.dispatch;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.handle.HandlerPipeline;
import io.rowqueue.message.Topic;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims that wait for a thread: in order within their topic, topics in turn by their weight, and
 * never more of a topic running than it may. A topic and its aliases are one here, under the name
 * that their handler is bound to. Bounded by what is claimed. Thread-safe.
 *
 * <p>Turns are stride scheduling (Waldspurger and Weihl, 1995): each claim moves its topic on by
 * the inverse of its weight, and whoever is least far is next.
 */
final class DispatchQueue {

  private final ToIntFunction<Topic> maxThreads;
  private final ToIntFunction<Topic> weight;
  private final UnaryOperator<Topic> binding;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Map<Topic, Deque<Claim>> waiting = new LinkedHashMap<>();
  private final Map<Topic, Integer> running = new HashMap<>();
  private final Map<Topic, Double> passed = new HashMap<>();
  private double clock;
  private boolean closed;

  DispatchQueue(
      ToIntFunction<Topic> maxThreads, ToIntFunction<Topic> weight, UnaryOperator<Topic> binding) {
    this.maxThreads = maxThreads;
    this.weight = weight;
    this.binding = binding;
  }

  void add(Claim claim) {
    lock.lock();
    try {
      waiting.computeIfAbsent(binding.apply(claim.topic()), this::joins).add(claim);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Who had nothing to run for a while has no turns saved up: it starts where the last one did. */
  private Deque<Claim> joins(Topic topic) {
    passed.merge(topic, clock, Math::max);
    return new ArrayDeque<>();
  }

  private double passed(Topic topic) {
    return passed.getOrDefault(topic, 0.0);
  }

  /** The next claim that may run; null once the queue is closed. */
  @Nullable Claim take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        Claim next = next();
        if (next != null) {
          running.merge(binding.apply(next.topic()), 1, Integer::sum);
          return next;
        }
        changed.await();
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Another claim of {@code topic} for a thread that has taken one; null if the next one does not
   * share a thread, or none waits.
   */
  @Nullable Claim takeMore(Topic topic) {
    lock.lock();
    try {
      Topic bound = binding.apply(topic);
      Deque<Claim> claims = waiting.get(bound);
      if (claims == null || !HandlerPipeline.mayShare(claims.element())) {
        return null;
      }
      return takeFrom(bound);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Claim next() {
    Topic topic = runnableTopic();
    if (topic == null) {
      return null;
    }
    return takeFrom(topic);
  }

  private @Nullable Claim takeFrom(Topic topic) {
    Deque<Claim> claims = waiting.get(topic);
    if (claims == null) {
      return null;
    }
    Claim claim = claims.remove();
    if (claims.isEmpty()) {
      waiting.remove(topic);
    }
    clock = Math.max(clock, passed(topic));
    passed.merge(topic, 1.0 / weight.applyAsInt(topic), Double::sum);
    return claim;
  }

  private @Nullable Topic runnableTopic() {
    Topic next = null;
    for (Topic topic : waiting.keySet()) {
      boolean mayRun = running.getOrDefault(topic, 0) < maxThreads.applyAsInt(topic);
      if (mayRun && (next == null || passed(topic) < passed(next))) {
        next = topic;
      }
    }
    return next;
  }

  /** A claim of {@code topic} that was taken has ended. */
  void ended(Topic topic) {
    lock.lock();
    try {
      running.merge(binding.apply(topic), -1, Integer::sum);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** How many claims of {@code topic} and its aliases wait. */
  int waiting(Topic topic) {
    lock.lock();
    try {
      Deque<Claim> claims = waiting.get(binding.apply(topic));
      return claims == null ? 0 : claims.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many claims of {@code topic} and its aliases run. */
  int running(Topic topic) {
    lock.lock();
    try {
      return running.getOrDefault(binding.apply(topic), 0);
    } finally {
      lock.unlock();
    }
  }

  /**
   * How many of the waiting claims idle threads could take now without breaking a topic's limit.
   */
  int runnable() {
    lock.lock();
    try {
      long sum = 0;
      for (Map.Entry<Topic, Deque<Claim>> topic : waiting.entrySet()) {
        int free = maxThreads.applyAsInt(topic.getKey()) - running.getOrDefault(topic.getKey(), 0);
        sum += Math.min(topic.getValue().size(), Math.max(0, free));
      }
      return (int) sum;
    } finally {
      lock.unlock();
    }
  }

  /** A topic may run more than before. */
  void reconsider() {
    lock.lock();
    try {
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** These wait no longer: they were taken back, and must not count against their topic. */
  void remove(Collection<Claim> taken) {
    Set<ClaimKey> keys = taken.stream().map(ClaimKey::of).collect(Collectors.toSet());
    lock.lock();
    try {
      waiting
          .values()
          .forEach(claims -> claims.removeIf(claim -> keys.contains(ClaimKey.of(claim))));
      waiting.values().removeIf(Deque::isEmpty);
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what waits; what is claimed is the in-flight table's to give back. */
  void clear() {
    lock.lock();
    try {
      waiting.clear();
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
