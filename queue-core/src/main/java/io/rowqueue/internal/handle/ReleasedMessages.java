package io.rowqueue.internal.handle;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.Claim;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When this worker first released each message that it cannot end, within a memory limit. Entries
 * are not evicted for new ones: with more messages than memory allows they would evict each other
 * for ever, and none would reach its age limit. Only an entry that was not seen for long is
 * evicted, since another worker has probably read its message. Thread-safe.
 */
final class ReleasedMessages {

  /** One or two megabytes of ids and times. */
  static final int MOST = 10_000;

  /** Three times the longest delay of an unreadable message. */
  private static final long LONGEST_REST_NANOS = TimeUnit.MINUTES.toNanos(15);

  private final Map<MessageId, Sight> sights = new LinkedHashMap<>(16, 0.75f, true);

  /** So that the common case needs no lock. */
  private volatile boolean empty = true;

  /**
   * For how many nanoseconds, at {@code now}, the message of {@code claim} has been unreadable
   * without a successful read in between, as far as this worker can tell; null if memory is full.
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

  /** The message was read after all, or dead-lettered. */
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

  /** When this worker first and last released a message, and as which claim. */
  private record Sight(long firstNanos, long lastNanos, int attempts, int number) {

    /**
     * Whether no worker has read the message since. A worker that read it and failed has counted an
     * attempt, and a redrive resets the claim number. If the message waited longer than its claims
     * in between explain, a worker read it and delayed it, or no worker was running.
     */
    boolean goesOn(Claim claim, long now) {
      int claims = claim.number() - number;
      return claim.attempts() == attempts
          && claims > 0
          && (now - lastNanos) / LONGEST_REST_NANOS <= claims;
    }
  }
}
