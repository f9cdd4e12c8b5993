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
 * The claims of one handler that wait and run, by the names that they lie under: the names share
 * its threads, and each keeps to its own limit. Names take turns; a name whose limit is reached is
 * passed over, and holds no other up. For whoever holds the queue's lock.
 */
final class Lane {

  private final Topic bound;
  private final ToIntFunction<Topic> maxThreads;
  private final ToIntFunction<Topic> mayRun;
  private final Map<Topic, Deque<Claim>> waiting = new LinkedHashMap<>();
  private final Map<Topic, Integer> running = new HashMap<>();
  private int waitingOfAll;
  private int runningOfAll;

  /** How far its turns have moved it on. */
  private double passed;

  /**
   * Of the handler that is bound to {@code bound}; {@code maxThreads} says how many run at once of
   * all its names, and {@code mayRun} how many of each.
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

  /** Who had nothing to run for a while has no turns saved up: it starts where the last one did. */
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

  /** The name whose turn it is; null if none of them may run more, or nothing waits. */
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

  /** What waits longest under {@code name}; null if nothing does. */
  @Nullable Claim first(Topic name) {
    Deque<Claim> claims = waiting.get(name);
    return claims == null ? null : claims.peek();
  }

  /** Takes that; the name stands behind the others afterwards. */
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

  /** How many wait, under whichever name. */
  int waiting() {
    return waitingOfAll;
  }

  int waitingUnder(Topic name) {
    Deque<Claim> claims = waiting.get(name);
    return claims == null ? 0 : claims.size();
  }

  /** How many run, under whichever name. */
  int running() {
    return runningOfAll;
  }

  int runningUnder(Topic name) {
    return running.getOrDefault(name, 0);
  }

  /** How many of those that wait could begin now, had the worker threads for them. */
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

  /** Nothing waits any more; what runs goes on. */
  void clear() {
    waiting.clear();
    waitingOfAll = 0;
  }
}
