package io.rowqueue.worker.internal.poll;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
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
 * The limits that operators set for topics in the whole cluster, as this worker keeps them: it
 * claims no more than it has slots and a portion of the rate for. A topic without a limit costs
 * nothing. Thread-safe; {@link #capacity} and {@link #wait} never wait for the database.
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

  /** How many of {@code topic} it would claim now, if it gets what it has to take for them. */
  int capacity(Topic topic) {
    TopicLimits limits = operators.limits(topic);
    if (limits.perSecond() != null && portion(topic).isDry()) {
      return 0;
    }
    Integer most = limits.inFlight();
    return most == null ? dispatcher.capacity(topic) : held(topic).capacity(within(most));
  }

  /** Whether {@code topic} waits for a slot or its rate. */
  boolean isHeldBack(Topic topic) {
    HeldTopicSlots its = held.get(topic);
    TokenLease portion = portions.get(topic);
    return (its != null && its.pendingNanos() > 0) || (portion != null && portion.isDry());
  }

  /** How many of {@code wanted} may be claimed, after taking what they need. */
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

  /** So many of {@code topic} were claimed, at most as many as were admitted. */
  void claimed(Topic topic, int count) {
    TokenLease portion = portions.get(topic);
    if (portion != null) {
      portion.claimed(count);
    }
  }

  /** One of {@code topic} was given back without being handled. Any thread may say so. */
  void released(Topic topic) {
    TokenLease portion = portions.get(topic);
    if (portion != null) {
      portion.released();
    }
  }

  /** Follows the operators' wishes, and gives back what it does not need. */
  synchronized void maintain(LockId worker, Iterable<Topic> topics) {
    for (Topic topic : topics) {
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
  }

  /** Compares what it holds with what the database says. */
  synchronized void reconcile(LockId worker) {
    held.values().forEach(its -> its.reconcile(worker));
  }

  /** Lets go of every slot. */
  synchronized void releaseAll() {
    held.values().forEach(HeldTopicSlots::releaseAll);
  }

  /** Whether it holds a slot. */
  synchronized boolean hasSlots() {
    return held.values().stream().anyMatch(its -> !its.isEmpty());
  }

  /** The least time until a topic that is held back is worth another look, or {@code longest}. */
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

  /** What a plain SQL statement has written may be anything. */
  private static int within(int limit) {
    return Math.max(0, Math.min(TopicSlots.MOST, limit));
  }
}
