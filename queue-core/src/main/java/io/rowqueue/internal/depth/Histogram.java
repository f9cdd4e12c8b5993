package io.rowqueue.internal.depth;

import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** The buckets of durations in statistics, and percentiles over them. */
public final class Histogram {

  /** The upper bounds of all buckets but the last, which has none. */
  public static final List<Duration> BOUNDS =
      LongStream.of(1, 2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000)
          .mapToObj(Duration::ofMillis)
          .toList();

  /** The number of buckets. */
  public static final int BUCKETS = 16;

  private Histogram() {}

  /** Returns the number of the bucket of {@code micros}. */
  static int bucket(long micros) {
    int bucket = 0;
    while (bucket < BOUNDS.size() && micros > bound(bucket)) {
      bucket++;
    }
    return bucket;
  }

  private static long bound(int bucket) {
    return BOUNDS.get(bucket).toMillis() * 1_000;
  }

  /**
   * Returns a duration that {@code share} of the values do not exceed: interpolated within its
   * bucket, and the last bound if it is beyond that; null if there are no values.
   *
   * @param counts by bucket
   * @param share between 0 and 1
   */
  public static @Nullable Duration percentile(long[] counts, double share) {
    long all = LongStream.of(counts).sum();
    if (all == 0) {
      return null;
    }
    double rank = share * all;
    long below = 0;
    for (int bucket = 0; bucket < BOUNDS.size(); bucket++) {
      if (counts[bucket] > 0 && below + counts[bucket] >= rank) {
        double from = bucket == 0 ? 0 : bound(bucket - 1);
        double within = Math.max(0, rank - below) / counts[bucket];
        return Duration.ofNanos(Math.round(1_000 * (from + within * (bound(bucket) - from))));
      }
      below += counts[bucket];
    }
    return BOUNDS.get(BOUNDS.size() - 1);
  }
}
