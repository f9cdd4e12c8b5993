package io.rowqueue.internal.claim;

import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Below which ids one topic's available messages need not be looked for, by priority. While an old
 * snapshot is open, the server keeps every row that was claimed since, and a claim that begins at
 * the first of them walks over all.
 *
 * <p>It is for speed only: ids are given before they commit, and released or promoted messages come
 * back with their low ids, so that messages do appear below it. A reset, once a second or so, finds
 * them. Thread-safe.
 */
final class ClaimCursor {

  private static final long LEAST_INTERVAL_NANOS = 1_000_000_000L;

  /** So many claims in a row, at most, begin above marks that are older than they should be. */
  private static final int MOST_TRUSTED = 10;

  /** Resets take at most a twentieth of the time. */
  private static final int COST_SHARE = 20;

  /** After so many intervals without a reset, marks tell a reader nothing any more. */
  private static final int RECENT_INTERVALS = 5;

  private final NavigableMap<Byte, Long> positions = new TreeMap<>();

  /** The lowest ids that have appeared below the marks since these were last asked for. */
  private final Map<Byte, Long> onInserted = new HashMap<>();

  private boolean everReset;
  private long resetNanos;
  private long costNanos;
  private boolean tookAll;
  private int trustedClaims;

  /** For each known priority, the id at and below which nothing needs to be looked for. */
  synchronized NavigableMap<Byte, Long> positions() {
    lower(positions);
    onInserted.clear();
    return new TreeMap<>(positions);
  }

  private void lower(NavigableMap<Byte, Long> some) {
    onInserted.forEach(
        (priority, id) -> some.computeIfPresent(priority, (same, mark) -> Math.min(mark, id - 1)));
  }

  /** Whether a claim that begins at the marks does not see {@code candidate}. */
  synchronized boolean skips(Candidate candidate) {
    NavigableMap<Byte, Long> now = new TreeMap<>(positions);
    lower(now);
    Long mark = now.get(candidate.priority());
    return mark == null
        ? !now.isEmpty() && candidate.priority() < now.lastKey()
        : candidate.id() <= mark;
  }

  /**
   * The marks for whoever counts what lies above them, if they were reset not long before {@code
   * nowNanos}; else none. Claims of what looks have found go on without resets, and a topic that is
   * paused has no claims at all, while messages come back below the marks.
   */
  synchronized NavigableMap<Byte, Long> recentPositions(long nowNanos) {
    boolean recent = everReset && nowNanos - resetNanos < RECENT_INTERVALS * interval();
    return recent ? new TreeMap<>(positions) : Collections.emptyNavigableMap();
  }

  private long interval() {
    return Math.max(LEAST_INTERVAL_NANOS, COST_SHARE * costNanos);
  }

  /**
   * Whether the marks are too old for a claim at {@code nowNanos}. Where the last claim took all
   * that there was above them, old marks are trusted, since somebody may wait for this one: if it
   * finds nothing, it resets them, and if something lies below them, the worker's next look sees
   * that and claims again. But only so often, lest ever new messages above them hide it for good.
   */
  synchronized boolean needsReset(long nowNanos) {
    if (everReset && nowNanos - resetNanos < interval()) {
      return false;
    }
    boolean trusted = everReset && tookAll && trustedClaims < MOST_TRUSTED;
    trustedClaims++;
    return !trusted;
  }

  /** Whether a claim got as many as it asked for; if not, it took all that it could see. */
  synchronized void claimed(boolean full) {
    tookAll = !full;
  }

  /**
   * Takes over what a read found.
   *
   * @param first the lowest available id of each priority that has one; a priority that has none
   *     keeps its mark, since the rows below it are just what nobody should walk over again
   */
  synchronized void reset(Map<Byte, Long> first, long nowNanos, long cost) {
    first.forEach((priority, id) -> positions.put(priority, id - 1));
    everReset = true;
    trustedClaims = 0;
    resetNanos = nowNanos;
    costNanos = cost;
  }

  /** Kept until the next claim: one that is under way may yet raise the marks. */
  synchronized void onInserted(byte priority, long id) {
    onInserted.merge(priority, id, Math::min);
  }

  /** Of {@code priority}, everything up to {@code id} was taken, or is somebody else's. */
  synchronized void advance(byte priority, long id) {
    positions.merge(priority, id, Math::max);
  }
}
