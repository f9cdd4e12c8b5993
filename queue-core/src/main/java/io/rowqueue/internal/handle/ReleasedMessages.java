package io.rowqueue.internal.handle;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.Claim;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Since when this worker has been giving messages back, for as many as memory may hold. Who is in
 * it stays: were it to make room for the next, more messages than it holds would push each other
 * out for ever, and none would come of age. Only who was not seen for long makes room, since others
 * have read it by then. Thread-safe.
 */
final class ReleasedMessages {

  /** A megabyte or two of ids and times. */
  static final int MOST = 10_000;

  /** Three times as long as an unreadable message rests at most. */
  private static final long LONGEST_REST_NANOS = TimeUnit.MINUTES.toNanos(15);

  private final Map<MessageId, Sight> sights = new LinkedHashMap<>(16, 0.75f, true);

  /** So that whoever asks in vain need not wait for the lock. */
  private volatile boolean empty = true;

  /**
   * For how many nanoseconds, at {@code now}, the message of {@code claim} has been unreadable
   * without anybody reading it in between, as far as can be told; null if there is no room for it.
   */
  synchronized @Nullable Long age(Claim claim, long now) {
    Sight known = sights.get(claim.id());
    if (known == null && !hasCapacity(now)) {
      return null;
    }
    long first = known != null && known.goesOn(claim, now) ? known.firstNanos : now;
    sights.put(claim.id(), new Sight(first, now, claim.attempts(), claim.number()));
    empty = false;
    return now - first;
  }

  private boolean hasCapacity(long now) {
    if (sights.size() < MOST) {
      return true;
    }
    Iterator<Sight> seldomSeen = sights.values().iterator();
    if (now - seldomSeen.next().lastNanos < LONGEST_REST_NANOS) {
      return false;
    }
    seldomSeen.remove();
    return true;
  }

  /** It was read after all, or set aside. */
  void forget(MessageId id) {
    if (!empty) {
      remove(id);
    }
  }

  private synchronized void remove(MessageId id) {
    sights.remove(id);
    empty = sights.isEmpty();
  }

  synchronized int size() {
    return sights.size();
  }

  /** When a message was first and last given back here, and as which claim. */
  private record Sight(long firstNanos, long lastNanos, int attempts, int number) {

    /**
     * Whether nobody has read the message since. Whoever read it and failed has counted an attempt;
     * redriven, its claims begin at zero; and if it rested longer than its claims in between
     * account for, somebody read it and put it off, or nobody was there.
     */
    boolean goesOn(Claim claim, long now) {
      int claims = claim.number() - number;
      return claim.attempts() == attempts
          && claims > 0
          && (now - lastNanos) / LONGEST_REST_NANOS <= claims;
    }
  }
}
