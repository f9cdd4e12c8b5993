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
 * The slots of one topic that this worker holds: it takes them when it has work, keeps them while
 * work lasts, and lets no more handlings begin than it holds. For one thread at a time, but for
 * {@link #capacity} and {@link #pendingNanos}.
 */
final class HeldTopicSlots {

  /** Slots that nothing ran in for so long are given back. */
  private static final long IDLE_NANOS = Duration.ofSeconds(1).toNanos();

  /** After a take that got too few. */
  private static final long RETRY_NANOS = Duration.ofMillis(250).toNanos();

  /** How often others are asked, or asked for; they heed it for twice as long. */
  private static final long ASK_NANOS = Duration.ofSeconds(1).toNanos();

  /** Where slots go round, each is held for so long. */
  private static final long TURN_NANOS = Duration.ofSeconds(3).toNanos();

  /** Who gave way does not come back before whoever asked. */
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

  /** How many it holds that somebody else should have. */
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

  /** How many it could claim now, if it got the slots that it may take now. */
  int capacity(int limit) {
    int soon = pendingNanos() > 0 ? allowed : limit;
    return dispatcher.capacity(topic, Math.min(limit, soon));
  }

  /** For how long it will not try again to take slots that it lacks; at most 0 if it would now. */
  long pendingNanos() {
    return takesFromNanos.get() - clock.getAsLong();
  }

  boolean isEmpty() {
    return sinceNanos.isEmpty();
  }

  /**
   * Takes what {@code wanted} more messages need.
   *
   * @param contested whether somebody wants slots
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

  /** Of the free ones some by chance: others that take at the same moment take others. */
  private int take(LockId worker, List<Integer> free, int most) {
    List<Integer> shuffled = new ArrayList<>(free);
    Collections.shuffle(shuffled);
    List<Integer> some = shuffled.subList(0, Math.min(most, shuffled.size()));
    Set<Integer> taken = slots.take(topic, worker, some);
    taken.forEach(slot -> sinceNanos.put(slot, clock.getAsLong()));
    return taken.size();
  }

  /** Gives back what lies above the limit, what nothing runs in, and what others should have. */
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

  /** Before anything is given back: what is about to begin sees it, or is seen to run below. */
  private void allow(int limit) {
    boolean idle = clock.getAsLong() - usedNanos >= IDLE_NANOS;
    int kept = sinceNanos.headMap(limit).size() - surplus;
    allowed = idle ? 0 : Math.max(0, kept);
    dispatcher.allow(topic, allowed);
  }

  /** Those above the limit have the highest numbers. */
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

  /** Lets go of all, whatever runs. */
  void releaseAll() {
    LockId last = holder;
    if (last != null && !sinceNanos.isEmpty()) {
      slots.release(topic, last, sinceNanos.keySet());
      sinceNanos.clear();
    }
  }

  /** A take without an answer may have succeeded, and the dead lose theirs. */
  void reconcile(LockId worker) {
    belongTo(worker);
    Set<Integer> mine = slots.read(topic).heldBy(worker);
    sinceNanos.keySet().retainAll(mine);
    Set<Integer> strange = new TreeSet<>(mine);
    strange.removeAll(sinceNanos.keySet());
    slots.release(topic, worker, strange);
  }

  /** What an earlier life of this worker held is freed like that of any other that died. */
  private void belongTo(LockId worker) {
    if (!worker.equals(holder)) {
      holder = worker;
      sinceNanos.clear();
      surplus = 0;
    }
  }
}
