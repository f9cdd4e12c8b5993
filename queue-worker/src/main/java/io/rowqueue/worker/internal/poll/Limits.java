package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The cluster-wide topic limits, as enforced by this worker: it claims only as many messages as it
 * holds slots and rate tokens for. Unlimited topics cost nothing. Thread-safe; {@link #capacity}
 * and {@link #wait} never query the database.
 */
@Singleton
final class Limits {

  private final OperatorPoller operators;
  private final Dispatcher dispatcher;
  private final TopicSlots slots;
  private final RateBuckets buckets;
  private final Map<Topic, HeldTopicSlots> held = new ConcurrentHashMap<>();
  private final Map<Topic, TokenLease> portions = new ConcurrentHashMap<>();

  @Inject
  Limits(OperatorPoller operators, Dispatcher dispatcher, TopicSlots slots, RateBuckets buckets) {
    this.operators = operators;
    this.dispatcher = dispatcher;
    this.slots = slots;
    this.buckets = buckets;
  }

  /**
   * Returns how many messages of {@code topic} may be claimed now, if the required slots and tokens
   * can be acquired.
   */
  int capacity(Topic topic) {
    TopicLimits limits = operators.limits(topic);
    if (limits.perSecond() != null && portion(topic).isDry()) {
      return 0;
    }
    Integer most = limits.inFlight();
    return most == null ? dispatcher.capacity(topic) : held(topic).capacity(within(most));
  }

  /** Returns whether {@code topic} waits for a slot or its rate limit. */
  boolean isHeldBack(Topic topic) {
    HeldTopicSlots its = held.get(topic);
    TokenLease portion = portions.get(topic);
    return (its != null && its.pendingNanos() > 0) || (portion != null && portion.isDry());
  }

  /** Returns how many of {@code wanted} may be claimed, after acquiring slots and tokens. */
  synchronized int admit(Topic topic, LockId worker, int wanted) {
    TopicLimits limits = operators.limits(topic);
    int admitted = wanted;
    Integer most = limits.inFlight();
    if (most != null) {
      boolean contested = operators.isWanted(topic);
      int sharded = held(topic).admit(worker, within(most), wanted, contested);
      admitted = Math.min(admitted, sharded);
    }
    Integer perSecond = limits.perSecond();
    if (perSecond != null && admitted > 0) {
      admitted = portion(topic).admit(admitted, dispatcher.waiting(topic), perSecond);
    }
    return admitted;
  }

  /**
   * Records that {@code count} messages of {@code topic} were claimed, at most as many as were
   * admitted.
   */
  void claimed(Topic topic, int count) {
    TokenLease portion = portions.get(topic);
    if (portion != null) {
      portion.claimed(count);
    }
  }

  /** Records that a claim of {@code topic} was released unprocessed. Callable from any thread. */
  void released(Topic topic) {
    TokenLease portion = portions.get(topic);
    if (portion != null) {
      portion.released();
    }
  }

  /** Applies the operators' limits of {@code topic}, and releases slots that are not needed. */
  synchronized void maintain(LockId worker, Topic topic) {
    TopicLimits limits = operators.limits(topic);
    Integer most = limits.inFlight();
    if (most != null) {
      held(topic).maintain(worker, within(most), operators.isWanted(topic));
    } else if (held.containsKey(topic)) {
      held(topic).releaseAll();
      held.remove(topic);
      dispatcher.allowAll(topic);
    }
    if (limits.perSecond() == null) {
      portions.remove(topic);
    }
  }

  /** Reconciles the held slots with the database. */
  synchronized void reconcile(LockId worker) {
    IndependentParts.each(held.values(), its -> its.reconcile(worker));
  }

  /** Releases every slot. */
  synchronized void releaseAll() {
    IndependentParts.each(held.values(), HeldTopicSlots::releaseAll);
  }

  /** Returns whether it holds a slot. */
  synchronized boolean hasSlots() {
    return held.values().stream().anyMatch(its -> !its.isEmpty());
  }

  /** Returns the shortest time until a limited topic can be polled again, or {@code longest}. */
  Duration wait(Duration longest) {
    LongStream pending =
        Stream.concat(
                held.values().stream().map(HeldTopicSlots::pendingNanos),
                portions.values().stream().filter(TokenLease::isDry).map(TokenLease::pendingNanos))
            .mapToLong(Long::longValue);
    long least = pending.filter(nanos -> nanos > 0).min().orElse(Long.MAX_VALUE);
    return Duration.ofNanos(Math.min(least, longest.toNanos()));
  }

  private HeldTopicSlots held(Topic topic) {
    return held.computeIfAbsent(
        topic, one -> new HeldTopicSlots(one, slots, dispatcher, System::nanoTime));
  }

  private TokenLease portion(Topic topic) {
    return portions.computeIfAbsent(topic, one -> new TokenLease(one, buckets, System::nanoTime));
  }

  /** Plain SQL may have written any value. */
  private static int within(int limit) {
    return Math.max(0, Math.min(TopicSlots.MOST, limit));
  }
}
