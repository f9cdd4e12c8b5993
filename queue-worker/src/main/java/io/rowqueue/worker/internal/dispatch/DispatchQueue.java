package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.handle.HandlerPipeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Claims that wait for a thread: in order within their topic, weighted round-robin between topics,
 * and within each topic's concurrency limit. A topic and its aliases share one lane, with its
 * threads and its weight; a cluster-wide limit applies to each name separately. Bounded by the
 * number of claims. Thread-safe.
 *
 * <p>Uses stride scheduling (Waldspurger and Weihl, 1995): each claim advances its lane's pass
 * value by the inverse of its weight, and the lane with the lowest value is next.
 */
final class DispatchQueue {

  private final ToIntFunction<Topic> maxThreads;
  private final ToIntFunction<Topic> mayRun;
  private final ToIntFunction<Topic> weight;
  private final UnaryOperator<Topic> binding;
  private final ReentrantLock lock = new ReentrantLock();

  /**
   * One for each idle thread. The last one is woken first, so that under low load a few threads do
   * the work, and the connections of the others can be closed.
   */
  private final Deque<Condition> idle = new ArrayDeque<>();

  /** How many threads have been woken and have not looked for a claim yet. */
  private int woken;

  /** In the order of first use. */
  private final List<Lane> lanes = new ArrayList<>();

  /** By every name in use. */
  private final Map<Topic, Lane> byName = new HashMap<>();

  private double clock;
  private boolean closed;

  /** Creates a queue with the threads and weight of each handler, and the limit of each name. */
  DispatchQueue(
      ToIntFunction<Topic> maxThreads,
      ToIntFunction<Topic> mayRun,
      ToIntFunction<Topic> weight,
      UnaryOperator<Topic> binding) {
    this.maxThreads = maxThreads;
    this.mayRun = mayRun;
    this.weight = weight;
    this.binding = binding;
  }

  void add(Claim claim) {
    lock.lock();
    try {
      Lane lane = lane(claim.topic());
      if (lane.isEmpty()) {
        lane.joins(clock);
      }
      lane.add(claim);
      if (woken < lane.runnable()) {
        wakeOne();
      }
    } finally {
      lock.unlock();
    }
  }

  private Lane lane(Topic name) {
    Lane known = byName.get(name);
    return known == null ? newLane(name) : known;
  }

  private Lane newLane(Topic name) {
    Topic bound = binding.apply(name);
    Lane lane = byName.get(bound);
    if (lane == null) {
      lane = new Lane(bound, maxThreads, mayRun);
      lanes.add(lane);
      byName.put(bound, lane);
    }
    byName.put(name, lane);
    return lane;
  }

  /** Takes the next claim that may run, waiting for one; null once the queue is closed. */
  @Nullable Claim take() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (!closed) {
        Claim next = next();
        if (next != null) {
          lane(next.topic()).began(next.topic());
          wakeForMore();
          return next;
        }
        await();
      }
      return null;
    } finally {
      lock.unlock();
    }
  }

  private void await() throws InterruptedException {
    Condition mine = lock.newCondition();
    idle.push(mine);
    try {
      while (idle.contains(mine)) {
        mine.await();
      }
      woken--;
    } catch (InterruptedException e) {
      if (!idle.remove(mine)) {
        // It was woken as well: another thread must take that claim.
        woken--;
        wakeOne();
      }
      throw e;
    }
  }

  /** Another claim may wait, for example of a topic whose thread was woken for this one. */
  private void wakeForMore() {
    if (woken == 0 && !idle.isEmpty() && lanes.stream().anyMatch(lane -> lane.next() != null)) {
      wakeOne();
    }
  }

  private void wakeOne() {
    Condition last = idle.poll();
    if (last != null) {
      woken++;
      last.signal();
    }
  }

  private void wakeAll() {
    while (!idle.isEmpty()) {
      wakeOne();
    }
  }

  /**
   * Takes another claim of {@code topic} for a thread that has taken one; null if the next one does
   * not share a thread, or none waits. Never a claim of another name: an attempt counts against the
   * limit of one name.
   *
   * @param leaveToIdle whether to take none that an idle thread may take
   */
  @Nullable Claim takeMore(Topic topic, boolean leaveToIdle) {
    lock.lock();
    try {
      Lane lane = lane(topic);
      Claim first = lane.first(topic);
      if (first == null
          || !HandlerPipeline.mayShare(first)
          || (leaveToIdle && lane.next() != null)) {
        return null;
      }
      return take(lane, topic);
    } finally {
      lock.unlock();
    }
  }

  private @Nullable Claim next() {
    Lane next = null;
    Topic name = null;
    for (Lane lane : lanes) {
      Topic its = lane.next();
      if (its != null && (next == null || lane.passed() < next.passed())) {
        next = lane;
        name = its;
      }
    }
    return next == null || name == null ? null : take(next, name);
  }

  private @Nullable Claim take(Lane lane, Topic name) {
    Claim claim = lane.take(name);
    if (claim != null) {
      clock = Math.max(clock, lane.passed());
      lane.moveOn(1.0 / weight.applyAsInt(lane.bound()));
    }
    return claim;
  }

  /** Records that a taken claim of {@code topic} has ended. */
  void ended(Topic topic) {
    lock.lock();
    try {
      lane(topic).ended(topic);
      if (woken == 0) {
        wakeOne();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the number of waiting claims of {@code topic} and its aliases. */
  int waiting(Topic topic) {
    return count(topic, Lane::waiting);
  }

  /** Returns the number of waiting claims of exactly this name. */
  int waitingUnder(Topic name) {
    return count(name, lane -> lane.waitingUnder(name));
  }

  /** Returns the number of running claims of {@code topic} and its aliases. */
  int running(Topic topic) {
    return count(topic, Lane::running);
  }

  /** Returns the number of running attempts that started under exactly this name. */
  int runningUnder(Topic name) {
    return count(name, lane -> lane.runningUnder(name));
  }

  private int count(Topic topic, ToIntFunction<Lane> what) {
    lock.lock();
    try {
      return what.applyAsInt(lane(topic));
    } finally {
      lock.unlock();
    }
  }

  /** Returns how many waiting claims idle threads could take now within the topics' limits. */
  int runnable() {
    lock.lock();
    try {
      return lanes.stream().mapToInt(Lane::runnable).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Called when a topic's limit was raised. */
  void reconsider() {
    lock.lock();
    try {
      wakeAll();
    } finally {
      lock.unlock();
    }
  }

  /** Removes waiting claims that were taken back. */
  void remove(Collection<Claim> taken) {
    Set<ClaimKey> keys = taken.stream().map(ClaimKey::of).collect(Collectors.toSet());
    lock.lock();
    try {
      lanes.forEach(lane -> lane.remove(keys));
    } finally {
      lock.unlock();
    }
  }

  /** Discards all waiting claims; the in-flight table still has them, to be released. */
  void clear() {
    lock.lock();
    try {
      lanes.forEach(Lane::clear);
    } finally {
      lock.unlock();
    }
  }

  void close() {
    lock.lock();
    try {
      closed = true;
      wakeAll();
    } finally {
      lock.unlock();
    }
  }
}
