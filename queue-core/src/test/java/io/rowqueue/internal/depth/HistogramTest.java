package io.rowqueue.internal.depth;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistogramTest {

  private static long[] counts(int bucket, long count) {
    long[] counts = new long[Histogram.BUCKETS];
    counts[bucket] = count;
    return counts;
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "999, 0",
    "1000, 0",
    "1001, 1",
    "2000, 1",
    "60000000, 14",
    "60000001, 15",
    "9000000000, 15",
  })
  void bucket_hasItsUpperBoundInIt(long micros, int bucket) {
    assertThat(Histogram.bucket(micros)).isEqualTo(bucket);
  }

  @Test
  void buckets_haveABoundEachButTheLast() {
    assertThat(Histogram.BOUNDS).hasSize(Histogram.BUCKETS - 1).isSorted();
  }

  @Test
  void percentile_ofNoValues_isUnknown() {
    assertThat(Histogram.percentile(new long[Histogram.BUCKETS], 0.5)).isNull();
  }

  /** Between 10 and 25 ms. */
  @Test
  void percentile_isInterpolatedWithinItsBucket() {
    assertThat(Histogram.percentile(counts(4, 100), 0.5)).isEqualTo(Duration.ofNanos(17_500_000));
    assertThat(Histogram.percentile(counts(4, 100), 1)).isEqualTo(Duration.ofMillis(25));
  }

  @Test
  void percentile_ofTwoBuckets_isInTheOneThatHasTheRank() {
    long[] counts = counts(0, 90);
    counts[9] = 10;
    assertThat(Histogram.percentile(counts, 0.9)).isEqualTo(Duration.ofMillis(1));
    assertThat(Histogram.percentile(counts, 0.95)).isEqualTo(Duration.ofMillis(750));
  }

  @Test
  void percentile_beyondTheLastBound_isThatBound() {
    assertThat(Histogram.percentile(counts(15, 3), 0.5)).isEqualTo(Duration.ofMinutes(1));
  }
}
