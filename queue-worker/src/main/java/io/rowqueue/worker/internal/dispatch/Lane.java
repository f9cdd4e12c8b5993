package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The waiting and running claims of one handler, by topic name: the names share the handler's
 * threads, and each has its own limit. Names are served round-robin; a name at its limit is skipped
 * and does not block others. Guarded by the queue's lock.
 */
final class Lane {

  private final Topic bound;
  private final ToIntFunction<Topic> maxThreads;
  private final ToIntFunction<Topic> mayRun;
  private final Map<Topic, Deque<Claim>> waiting = new LinkedHashMap<>();
  private final Map<Topic, Integer> running = new HashMap<>();
  private int waitingOfAll;
  private int runningOfAll;

  /** The pass value of stride scheduling. */
  private double passed;

  /**
   * Creates a lane for {@code bound}; {@code maxThreads} limits all its names together, and {@code
   * mayRun} each name.
   */
  Lane(Topic bound, ToIntFunction<Topic> maxThreads, ToIntFunction<Topic> mayRun) {
    this.bound = bound;
    this.maxThreads = maxThreads;
    this.mayRun = mayRun;
  }

  Topic bound() {
    return bound;
  }

  double passed() {
    return passed;
  }

  /**
   * A lane that was empty must not catch up on missed turns, so it continues at the current pass
   * value.
   */
  void joins(double clock) {
    passed = Math.max(passed, clock);
  }

  void moveOn(double by) {
    passed += by;
  }

  void add(Claim claim) {
    waiting.computeIfAbsent(claim.topic(), name -> new ArrayDeque<>()).add(claim);
    waitingOfAll++;
  }

  /** Returns the next name; null if all are at their limit or empty. */
  @Nullable Topic next() {
    if (waitingOfAll == 0 || runningOfAll >= maxThreads.applyAsInt(bound)) {
      return null;
    }
    for (Topic name : waiting.keySet()) {
      if (free(name) > 0) {
        return name;
      }
    }
    return null;
  }

  /** Returns the oldest waiting claim of {@code name}; null if there is none. */
  @Nullable Claim first(Topic name) {
    Deque<Claim> claims = waiting.get(name);
    return claims == null ? null : claims.peek();
  }

  /** Takes that claim; the name moves to the end of the rotation. */
  @Nullable Claim take(Topic name) {
    Deque<Claim> claims = waiting.get(name);
    if (claims == null) {
      return null;
    }
    Claim claim = claims.remove();
    waitingOfAll--;
    if (claims.isEmpty()) {
      waiting.remove(name);
    } else if (waiting.size() > 1) {
      waiting.remove(name);
      waiting.put(name, claims);
    }
    return claim;
  }

  void began(Topic name) {
    running.merge(name, 1, Integer::sum);
    runningOfAll++;
  }

  void ended(Topic name) {
    running.merge(name, -1, Integer::sum);
    runningOfAll--;
  }

  boolean isEmpty() {
    return waitingOfAll == 0;
  }

  /** Returns the number of waiting claims, of all names. */
  int waiting() {
    return waitingOfAll;
  }

  int waitingUnder(Topic name) {
    Deque<Claim> claims = waiting.get(name);
    return claims == null ? 0 : claims.size();
  }

  /** Returns the number of running claims, of all names. */
  int running() {
    return runningOfAll;
  }

  int runningUnder(Topic name) {
    return running.getOrDefault(name, 0);
  }

  /** Returns how many waiting claims could start now, given enough worker threads. */
  int runnable() {
    long sum = 0;
    for (Topic name : waiting.keySet()) {
      sum += Math.min(waitingUnder(name), free(name));
    }
    return (int) Math.min(sum, Math.max(0, maxThreads.applyAsInt(bound) - runningOfAll));
  }

  private int free(Topic name) {
    return Math.max(0, mayRun.applyAsInt(name) - runningUnder(name));
  }

  void remove(Set<ClaimKey> taken) {
    waiting
        .values()
        .forEach(claims -> claims.removeIf(claim -> taken.contains(ClaimKey.of(claim))));
    waiting.values().removeIf(Deque::isEmpty);
    waitingOfAll = waiting.values().stream().mapToInt(Deque::size).sum();
  }

  /** Discards the waiting claims; running ones continue. */
  void clear() {
    waiting.clear();
    waitingOfAll = 0;
  }
}
