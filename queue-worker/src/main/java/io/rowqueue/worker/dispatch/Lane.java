package io.rowqueue.worker.dispatch;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimKey;
import io.rowqueue.message.Topic;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The claims of one handler that wait and run, by the names that they lie under: the names share
 * its threads, and each keeps to its own limit. Names take turns; a name whose limit is reached is
 * passed over, and holds no other up. For whoever holds the queue's lock.
 */
final class Lane {

  private final IntSupplier maxThreads;
  private final ToIntFunction<Topic> mayRun;
  private final Map<Topic, Deque<Claim>> waiting = new LinkedHashMap<>();
  private final Map<Topic, Integer> running = new HashMap<>();
  private int runningOfAll;

  /** How many run at once of all its names, and of each. */
  Lane(IntSupplier maxThreads, ToIntFunction<Topic> mayRun) {
    this.maxThreads = maxThreads;
    this.mayRun = mayRun;
  }

  void add(Claim claim) {
    waiting.computeIfAbsent(claim.topic(), name -> new ArrayDeque<>()).add(claim);
  }

  /** The name whose turn it is; null if none of them may run more, or nothing waits. */
  @Nullable Topic next() {
    if (runningOfAll >= maxThreads.getAsInt()) {
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
    Deque<Claim> claims = waiting.remove(name);
    if (claims == null) {
      return null;
    }
    Claim claim = claims.remove();
    if (!claims.isEmpty()) {
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
    return waiting.isEmpty();
  }

  /** How many wait, under whichever name. */
  int waiting() {
    return waiting.values().stream().mapToInt(Deque::size).sum();
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
    return (int) Math.min(sum, Math.max(0, maxThreads.getAsInt() - runningOfAll));
  }

  private int free(Topic name) {
    return Math.max(0, mayRun.applyAsInt(name) - runningUnder(name));
  }

  void remove(Set<ClaimKey> taken) {
    waiting
        .values()
        .forEach(claims -> claims.removeIf(claim -> taken.contains(ClaimKey.of(claim))));
    waiting.values().removeIf(Deque::isEmpty);
  }

  /** Nothing waits any more; what runs goes on. */
  void clear() {
    waiting.clear();
  }
}
