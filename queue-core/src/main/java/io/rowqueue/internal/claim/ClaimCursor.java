package io.rowqueue.internal.claim;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Per priority, the highest id below which a topic has no claimable message. While an old snapshot
 * is open, the server keeps every row that was claimed since, and a claim that starts at the first
 * of them scans all of them.
 *
 * <p>The cursor only makes claims faster. Ids are assigned before they commit, and released or
 * promoted messages return with their low ids, so messages do appear below it. A reset, about once
 * a second, finds them. Thread-safe.
 */
final class ClaimCursor {

  private static final long LEAST_INTERVAL_NANOS = 1_000_000_000L;

  /** At most so many consecutive claims start at positions that are older than they should be. */
  private static final int MOST_TRUSTED = 10;

  /** Resets take at most a twentieth of the time. */
  private static final int COST_SHARE = 20;

  /** After so many intervals without a reset, the positions are too old for readers. */
  private static final int RECENT_INTERVALS = 5;

  private final NavigableMap<Byte, Long> positions = new TreeMap<>();

  /** The lowest ids that have appeared below the positions since this was last read. */
  private final Map<Byte, Long> onInserted = new HashMap<>();

  private boolean everReset;
  private long resetNanos;
  private long costNanos;
  private boolean tookAll;
  private int trustedClaims;

  /** For each known priority, the id at and below which there is nothing to claim. */
  synchronized NavigableMap<Byte, Long> positions() {
    lower(positions);
    onInserted.clear();
    return new TreeMap<>(positions);
  }

  private void lower(NavigableMap<Byte, Long> some) {
    onInserted.forEach(
        (priority, id) -> some.computeIfPresent(priority, (same, mark) -> Math.min(mark, id - 1)));
  }

  /** Whether a claim that starts at the positions does not see {@code candidate}. */
  synchronized boolean skips(Candidate candidate) {
    NavigableMap<Byte, Long> now = new TreeMap<>(positions);
    lower(now);
    Long mark = now.get(candidate.priority());
    return mark == null
        ? !now.isEmpty() && candidate.priority() < now.lastKey()
        : candidate.id() <= mark;
  }

  /**
   * The positions for a reader that counts the messages above them, if they were reset not long
   * before {@code nowNanos}; otherwise none. Claims of polled candidates continue without resets,
   * and a paused topic has no claims at all, while messages return below the positions.
   */
  synchronized NavigableMap<Byte, Long> recentPositions(long nowNanos) {
    boolean recent = everReset && nowNanos - resetNanos < RECENT_INTERVALS * interval();
    return recent ? new TreeMap<>(positions) : Collections.emptyNavigableMap();
  }

  private long interval() {
    return Math.max(LEAST_INTERVAL_NANOS, COST_SHARE * costNanos);
  }

  /**
   * Whether the positions are too old for a claim at {@code nowNanos}. If the last claim took
   * everything above them, old positions are trusted, because a message may be waiting for this
   * claim: if the claim finds nothing, it resets them, and if something lies below them, the
   * worker's next poll finds it. This happens a limited number of times in a row, so that a stream
   * of new messages above the positions does not hide a message below them for ever.
   */
  synchronized boolean needsReset(long nowNanos) {
    if (everReset && nowNanos - resetNanos < interval()) {
      return false;
    }
    boolean trusted = everReset && tookAll && trustedClaims < MOST_TRUSTED;
    trustedClaims++;
    return !trusted;
  }

  /** Whether a claim got as many as it asked for; if not, it took everything that it could see. */
  synchronized void claimed(boolean full) {
    tookAll = !full;
  }

  /**
   * Applies the result of a read.
   *
   * @param first the lowest available id of each priority that has one; a priority that has none
   *     keeps its position, because the rows below it are those that a claim must not scan again
   */
  synchronized void reset(Map<Byte, Long> first, long nowNanos, long cost) {
    first.forEach((priority, id) -> positions.put(priority, id - 1));
    everReset = true;
    trustedClaims = 0;
    resetNanos = nowNanos;
    costNanos = cost;
  }

  /** Kept until the next claim, because a concurrent one may still raise the positions. */
  synchronized void onInserted(byte priority, long id) {
    onInserted.merge(priority, id, Math::min);
  }

  /** Everything of {@code priority} up to {@code id} was claimed, by this or another worker. */
  synchronized void advance(byte priority, long id) {
    positions.merge(priority, id, Math::max);
  }
}
