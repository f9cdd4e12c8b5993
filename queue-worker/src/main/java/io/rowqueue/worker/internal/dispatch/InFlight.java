package io.rowqueue.worker.internal.dispatch;

import io.rowqueue.Topic;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Every unsettled claim of this worker. Claims that the database attributes to the worker but that
 * are missing here are released by the next reconciliation. Thread-safe.
 */
final class InFlight {

  private final Map<ClaimKey, Entry> entries = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger alone = new AtomicInteger();
  private final int aloneFrom;
  private final AtomicLong bytes = new AtomicLong();

  InFlight(int aloneFrom) {
    this.aloneFrom = aloneFrom;
  }

  void add(Claim claim) {
    entries.put(ClaimKey.of(claim), new Entry(claim, System.nanoTime()));
    waiting.incrementAndGet();
    bytes.addAndGet(claim.body().waitingBytes());
    if (claim.lost() >= aloneFrom) {
      alone.incrementAndGet();
    }
  }

  /**
   * Marks the claim as started; returns false if it was taken back. A started claim is never
   * released unprocessed.
   */
  boolean start(Claim claim) {
    Entry entry = entries.get(ClaimKey.of(claim));
    if (entry == null || !entry.leaveWaiting()) {
      return false;
    }
    waiting.decrementAndGet();
    bytes.addAndGet(-claim.body().waitingBytes());
    return true;
  }

  /** Counts the claims of exactly {@code topic}, by iterating over all of them. */
  int held(Topic topic) {
    return (int)
        entries.values().stream().filter(entry -> entry.claim.topic().equals(topic)).count();
  }

  /** Removes a claim that was settled, or whose settlement was abandoned. */
  void remove(Claim claim) {
    if (entries.remove(ClaimKey.of(claim)) != null && claim.lost() >= aloneFrom) {
      alone.decrementAndGet();
    }
  }

  /** Takes the claims that have waited at least {@code longest} for a thread. */
  List<Claim> takeWaiting(Duration longest, Predicate<Topic> paused) {
    long now = System.nanoTime();
    List<Claim> taken = new ArrayList<>();
    for (Entry entry : entries.values()) {
      boolean gone =
          now - entry.sinceNanos >= longest.toNanos() || paused.test(entry.claim.topic());
      if (gone && start(entry.claim)) {
        taken.add(entry.claim);
      }
    }
    return taken;
  }

  /** Takes the claims of {@code batches} that have not started. */
  List<Claim> takeMembers(Set<Long> batches) {
    return entries.values().stream()
        .map(entry -> entry.claim)
        .filter(claim -> isMember(claim, batches) && start(claim))
        .toList();
  }

  private static boolean isMember(Claim claim, Set<Long> batches) {
    Long batchId = claim.batchId();
    return batchId != null && batchId > 0 && batches.contains(CounterShard.batch(batchId));
  }

  /**
   * Marks {@code key} as requested to be cancelled by {@code by}.
   *
   * @return the claim, if it had not started and was taken
   */
  @Nullable Claim requestCancel(ClaimKey key, String by) {
    Entry entry = entries.get(key);
    if (entry == null) {
      return null;
    }
    entry.cancelRequestedBy = by;
    return start(entry.claim) ? entry.claim : null;
  }

  /** Returns who requested its cancellation; null if it was not requested, or is not in flight. */
  @Nullable String cancelRequestedBy(Claim claim) {
    Entry entry = entries.get(ClaimKey.of(claim));
    return entry == null ? null : entry.cancelRequestedBy;
  }

  void removeAll(Collection<Claim> claims) {
    claims.forEach(this::remove);
  }

  Set<ClaimKey> keys() {
    return Set.copyOf(entries.keySet());
  }

  int waiting() {
    return waiting.get();
  }

  int size() {
    return entries.size();
  }

  int alone() {
    return alone.get();
  }

  long waitingBytes() {
    return bytes.get();
  }

  private static final class Entry {
    private final Claim claim;
    private final long sinceNanos;
    private volatile @Nullable String cancelRequestedBy;
    private boolean left;

    Entry(Claim claim, long sinceNanos) {
      this.claim = claim;
      this.sinceNanos = sinceNanos;
    }

    synchronized boolean leaveWaiting() {
      boolean first = !left;
      left = true;
      return first;
    }
  }
}
