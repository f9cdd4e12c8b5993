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
 * never more of a topic running than it may. A topic's aliases share its turns and its threads.
 * Bounded by what is claimed. Thread-safe.
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
  private final Map<Topic, Integer> runningOfBinding = new HashMap<>();
  private final Map<Topic, Double> passed = new HashMap<>();
  private double clock;
  private boolean closed;

  /**
   * For topics without aliases.
   *
   * @param maxThreads how many of a topic may run at once
   * @param weight how much of the turns it gets while others wait, too
   */
  DispatchQueue(ToIntFunction<Topic> maxThreads, ToIntFunction<Topic> weight) {
    this(maxThreads, weight, topic -> topic);
  }

  /** The same where {@code binding} tells the topic that a name is an alias of. */
  DispatchQueue(
      ToIntFunction<Topic> maxThreads, ToIntFunction<Topic> weight, UnaryOperator<Topic> binding) {
    this.maxThreads = maxThreads;
    this.weight = weight;
    this.binding = binding;
  }

  void add(Claim claim) {
    lock.lock();
    try {
      waiting.computeIfAbsent(claim.topic(), this::joins).add(claim);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** Who had nothing to run for a while has no turns saved up: it starts where the last one did. */
  private Deque<Claim> joins(Topic topic) {
    passed.merge(binding.apply(topic), clock, Math::max);
    return new ArrayDeque<>();
  }

  private double passed(Topic topic) {
    return passed.getOrDefault(binding.apply(topic), 0.0);
  }

  /** The next claim that may run; null once the queue is closed. */
  @Nullable Claim take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        Claim next = next();
        if (next != null) {
          count(next.topic(), 1);
          return next;
        }
        changed.await();
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void count(Topic topic, int more) {
    running.merge(topic, more, Integer::sum);
    runningOfBinding.merge(binding.apply(topic), more, Integer::sum);
  }

  /**
   * Another claim of {@code topic} for a thread that has taken one; null if the next one does not
   * share a thread, or none waits.
   */
  @Nullable Claim takeMore(Topic topic) {
    lock.lock();
    try {
      Deque<Claim> claims = waiting.get(topic);
      if (claims == null || !HandlerPipeline.mayShare(claims.element())) {
        return null;
      }
      return takeFrom(topic);
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
    Topic shared = binding.apply(topic);
    passed.merge(shared, 1.0 / weight.applyAsInt(shared), Double::sum);
    return claim;
  }

  private @Nullable Topic runnableTopic() {
    Topic next = null;
    for (Topic topic : waiting.keySet()) {
      if (free(topic) > 0 && (next == null || passed(topic) < passed(next))) {
        next = topic;
      }
    }
    return next;
  }

  /** How many more claims of {@code topic} may run, which its aliases use up, too. */
  private int free(Topic topic) {
    int used = runningOfBinding.getOrDefault(binding.apply(topic), 0);
    return Math.max(0, maxThreads.applyAsInt(topic) - used);
  }

  /** A claim of {@code topic} that was taken has ended. */
  void ended(Topic topic) {
    lock.lock();
    try {
      count(topic, -1);
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /** How many claims of {@code topic} wait. */
  int waiting(Topic topic) {
    lock.lock();
    try {
      Deque<Claim> claims = waiting.get(topic);
      return claims == null ? 0 : claims.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many claims of {@code topic} run. */
  int running(Topic topic) {
    lock.lock();
    try {
      return running.getOrDefault(topic, 0);
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
      Map<Topic, Integer> soon = new HashMap<>();
      waiting.forEach(
          (topic, claims) ->
              soon.merge(
                  binding.apply(topic),
                  Math.min(claims.size(), free(topic)),
                  (one, other) -> Math.min(one + other, free(topic))));
      return soon.values().stream().mapToInt(Integer::intValue).sum();
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
