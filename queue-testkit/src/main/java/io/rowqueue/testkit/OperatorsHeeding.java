package io.rowqueue.testkit;

import com.google.inject.Injector;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.SlotTable;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.operate.TopicLimits;
import io.rowqueue.internal.operate.TopicSettingsCache;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Pauses and limits of topics, applied by a worker's own components. Each attempt holds a slot
 * while it runs; a dead worker keeps its slots until it is declared dead. Rate limits use the
 * test's clock. Confined to one thread.
 */
final class OperatorsHeeding implements Heeding {

  private final TopicSettingsCache settings;
  private final TopicSlots slots;
  private final RateBuckets buckets;
  private final ToIntFunction<Topic> waiting;

  /**
   * Uses the components of {@code parts}.
   *
   * @param waiting returns how many messages of a topic may be claimed
   */
  OperatorsHeeding(Injector parts, ToIntFunction<Topic> waiting) {
    this.settings = parts.getInstance(TopicSettingsCache.class);
    this.slots = parts.getInstance(TopicSlots.class);
    this.buckets = parts.getInstance(RateBuckets.class);
    this.waiting = waiting;
  }

  @Override
  public int admit(Topic topic, LockId worker, int wanted) {
    int most = Math.min(wanted, waiting.applyAsInt(topic));
    if (most == 0 || settings.isPaused(topic)) {
      return 0;
    }
    TopicLimits limits = settings.limits(topic);
    if (!hasCapacity(topic, worker, limits)) {
      return 0;
    }
    Integer perSecond = limits.perSecond();
    int admitted = perSecond == null ? most : buckets.draw(topic, most, perSecond).messages();
    if (admitted == 0) {
      handled(topic, worker);
    }
    return admitted;
  }

  private boolean hasCapacity(Topic topic, LockId worker, TopicLimits limits) {
    Integer most = limits.inFlight();
    if (most == null) {
      return true;
    }
    slots.freeThoseOfTheDead(topic);
    SlotTable book = slots.read(topic);
    slots.make(topic, book.missing(most));
    List<Integer> free = slots.read(topic).free(most);
    return !free.isEmpty() && !slots.take(topic, worker, free.subList(0, 1)).isEmpty();
  }

  @Override
  public void handled(Topic topic, LockId worker) {
    slots.release(topic, worker, slots.read(topic).heldBy(worker));
  }
}
