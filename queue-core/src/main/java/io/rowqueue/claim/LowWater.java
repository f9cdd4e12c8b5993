package io.rowqueue.claim;

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
final class LowWater {

  private static final long LEAST_INTERVAL_NANOS = 1_000_000_000L;

  /** Resets take at most a twentieth of the time. */
  private static final int COST_SHARE = 20;

  private final NavigableMap<Byte, Long> marks = new TreeMap<>();
  private boolean everReset;
  private long resetNanos;
  private long costNanos;
  private long claimedNanos;

  /** For each known priority, the id at and below which nothing needs to be looked for. */
  synchronized NavigableMap<Byte, Long> marks() {
    return new TreeMap<>(marks);
  }

  /**
   * Whether the marks are too old for a claim at {@code nowNanos}. The first claim after a pause
   * trusts them however old they are, since somebody waits for it: where it finds nothing it resets
   * them, and where it finds something the next one follows at once.
   */
  synchronized boolean needsReset(long nowNanos) {
    boolean afterPause = nowNanos - claimedNanos >= LEAST_INTERVAL_NANOS;
    claimedNanos = nowNanos;
    long interval = Math.max(LEAST_INTERVAL_NANOS, COST_SHARE * costNanos);
    return !everReset || (!afterPause && nowNanos - resetNanos >= interval);
  }

  /**
   * Takes over what a read found.
   *
   * @param first the lowest available id of each priority that has one; a priority that has none
   *     keeps its mark, since the rows below it are just what nobody should walk over again
   */
  synchronized void reset(Map<Byte, Long> first, long nowNanos, long cost) {
    first.forEach((priority, id) -> marks.put(priority, id - 1));
    everReset = true;
    resetNanos = nowNanos;
    costNanos = cost;
  }

  /** Of {@code priority}, everything up to {@code id} was taken, or is somebody else's. */
  synchronized void passed(byte priority, long id) {
    marks.merge(priority, id, Math::max);
  }
}
