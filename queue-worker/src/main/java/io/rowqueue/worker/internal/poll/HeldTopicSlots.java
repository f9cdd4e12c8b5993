package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.limit.SlotTable;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.worker.internal.dispatch.Dispatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The slots of one topic that this worker holds: acquired when it has messages, kept while it has
 * more, and limiting the attempts that may start. For one thread at a time, except {@link
 * #capacity} and {@link #pendingNanos}.
 */
final class HeldTopicSlots {

  /** Slots unused for this long are released. */
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** The delay after acquiring too few slots. */
  private static final long RETRY_NANOS = Duration.ofMillis(250).toNanos();

  /** The interval of requests for slots; a request is honored for twice as long. */
  private static final long ASK_NANOS = Duration.ofSeconds(1).toNanos();

  /** How long a slot is held while slots rotate. */
  private static final long TURN_NANOS = Duration.ofSeconds(3).toNanos();

  /** After yielding a slot, this worker waits until the requester had a chance to take it. */
  private static final long GIVEN_WAY_NANOS = Duration.ofSeconds(1).toNanos();

  private final Topic topic;
  private final TopicSlots slots;
  private final Dispatcher dispatcher;
  private final LongSupplier clock;
  private final NavigableMap<Integer, Long> sinceNanos = new TreeMap<>();
  private final AtomicLong takesFromNanos;
  private @Nullable LockId holder;
  private long usedNanos;
  private long asksFromNanos;
  private long sharesFromNanos;

  /** Returns how many slots to release for other workers. */
  private int surplus;

  private volatile int allowed;

  HeldTopicSlots(Topic topic, TopicSlots slots, Dispatcher dispatcher, LongSupplier clock) {
    this.topic = topic;
    this.slots = slots;
    this.dispatcher = dispatcher;
    this.clock = clock;
    this.takesFromNanos = new AtomicLong(clock.getAsLong());
    this.usedNanos = clock.getAsLong();
    this.asksFromNanos = usedNanos;
    this.sharesFromNanos = usedNanos;
  }

  /** Returns how many messages could be claimed now, including slots that may be acquired now. */
  int capacity(int limit) {
    int soon = pendingNanos() > 0 ? allowed : limit;
    return dispatcher.capacity(topic, Math.min(limit, soon));
  }

  /** Returns the delay before missing slots are requested again; at most 0 if there is none. */
  long pendingNanos() {
    return takesFromNanos.get() - clock.getAsLong();
  }

  boolean isEmpty() {
    return sinceNanos.isEmpty();
  }

  /**
   * Acquires slots for {@code wanted} more messages.
   *
   * @param contested whether another worker wants slots
   * @return how many may be claimed
   */
  int admit(LockId worker, int limit, int wanted, boolean contested) {
    belongTo(worker);
    usedNanos = clock.getAsLong();
    int useful = dispatcher.running(topic) + dispatcher.waiting(topic) + wanted;
    int lacking =
        Math.min(Math.min(limit, dispatcher.maxThreads(topic)), useful) - sinceNanos.size();
    if (lacking > 0 && pendingNanos() <= 0) {
      takesFromNanos.set(usedNanos + RETRY_NANOS);
      take(worker, limit, lacking, contested);
    }
    allow(limit);
    return dispatcher.capacity(topic, allowed);
  }

  private void take(LockId worker, int limit, int lacking, boolean contested) {
    SlotTable book = pollAndMake(limit);
    boolean asks = book.free(limit).size() < lacking && usedNanos - asksFromNanos >= 0;
    if (asks) {
      asksFromNanos = usedNanos + ASK_NANOS;
      if (slots.freeThoseOfTheDead(topic) > 0) {
        book = slots.read(topic);
      }
    }
    int least = FairShare.least(limit, book.heldByOthers(worker));
    int most = contested ? Math.min(lacking, least - sinceNanos.size()) : lacking;
    int taken = most <= 0 ? 0 : take(worker, book.free(limit), most);
    if (taken == lacking) {
      takesFromNanos.set(usedNanos);
    }
    if (asks && sinceNanos.size() < least) {
      slots.want(topic);
    }
  }

  private SlotTable pollAndMake(int limit) {
    SlotTable book = slots.read(topic);
    List<Integer> missing = book.missing(limit);
    if (missing.isEmpty()) {
      return book;
    }
    slots.make(topic, missing);
    return slots.read(topic);
  }

  /** Picks free slots at random, since other workers may acquire slots at the same moment. */
  private int take(LockId worker, List<Integer> free, int most) {
    List<Integer> shuffled = new ArrayList<>(free);
    Collections.shuffle(shuffled);
    List<Integer> some = shuffled.subList(0, Math.min(most, shuffled.size()));
    Set<Integer> taken = slots.take(topic, worker, some);
    taken.forEach(slot -> sinceNanos.put(slot, clock.getAsLong()));
    return taken.size();
  }

  /** Releases slots above the limit, idle ones, and those owed to other workers. */
  void maintain(LockId worker, int limit, boolean contested) {
    belongTo(worker);
    if (!sinceNanos.isEmpty()) {
      long now = clock.getAsLong();
      if (dispatcher.running(topic) + dispatcher.waiting(topic) > 0) {
        usedNanos = now;
      }
      share(worker, limit, contested, now);
    }
    allow(limit);
    releaseUnused(worker);
  }

  private void share(LockId worker, int limit, boolean contested, long now) {
    if (!contested) {
      surplus = 0;
    } else if (now - sharesFromNanos >= 0) {
      sharesFromNanos = now + ASK_NANOS;
      Collection<Long> others = slots.read(topic).heldByOthers(worker);
      surplus = FairShare.excess(limit, sinceNanos.size(), others);
      if (surplus == 0 && FairShare.isByTurns(limit, others) && hasHadItsTurn(now)) {
        surplus = 1;
      }
    }
  }

  private boolean hasHadItsTurn(long now) {
    return sinceNanos.values().stream().anyMatch(since -> now - since >= TURN_NANOS);
  }

  /**
   * Lowered before the release: an attempt that starts now sees the new limit, or is counted as
   * running.
   */
  private void allow(int limit) {
    boolean idle = clock.getAsLong() - usedNanos >= IDLE_NANOS;
    int kept = sinceNanos.headMap(limit).size() - surplus;
    allowed = idle ? 0 : Math.max(0, kept);
    dispatcher.allow(topic, allowed);
  }

  /** The highest slot numbers are above the limit. */
  private void releaseUnused(LockId worker) {
    int kept = Math.max(allowed, dispatcher.running(topic));
    int free = sinceNanos.size() - kept;
    if (free <= 0) {
      return;
    }
    List<Integer> given = sinceNanos.descendingKeySet().stream().limit(free).toList();
    slots.release(topic, worker, given);
    given.forEach(sinceNanos::remove);
    if (surplus > 0) {
      surplus = Math.max(0, surplus - free);
      takesFromNanos.set(clock.getAsLong() + GIVEN_WAY_NANOS);
    }
  }

  /** Releases all slots, including those in use. */
  void releaseAll() {
    LockId last = holder;
    if (last != null && !sinceNanos.isEmpty()) {
      slots.release(topic, last, sinceNanos.keySet());
      sinceNanos.clear();
    }
  }

  /**
   * An acquisition without an answer may have succeeded, and slots of a worker declared dead are
   * taken away.
   */
  void reconcile(LockId worker) {
    belongTo(worker);
    Set<Integer> mine = slots.read(topic).heldBy(worker);
    sinceNanos.keySet().retainAll(mine);
    Set<Integer> strange = new TreeSet<>(mine);
    strange.removeAll(sinceNanos.keySet());
    slots.release(topic, worker, strange);
  }

  /** Slots of this worker's former registration are released like those of any dead worker. */
  private void belongTo(LockId worker) {
    if (!worker.equals(holder)) {
      holder = worker;
      sinceNanos.clear();
      surplus = 0;
    }
  }
}
