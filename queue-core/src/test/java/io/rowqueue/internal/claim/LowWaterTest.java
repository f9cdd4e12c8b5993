package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LowWaterTest {

  private static final byte P0 = 0;
  private static final byte P5 = 5;

  private final LowWater lowWater = new LowWater();

  private static long millis(long value) {
    return TimeUnit.MILLISECONDS.toNanos(value);
  }

  @Test
  void reset_isNeededAtFirstAndThenOnceASecond() {
    assertThat(lowWater.needsReset(0)).isTrue();
    lowWater.reset(Map.of(), 0, millis(1));
    lowWater.claimed(true);
    assertThat(lowWater.needsReset(millis(999))).isFalse();
    assertThat(lowWater.needsReset(millis(1_000))).isTrue();
  }

  @Test
  void reset_thatCostsMuch_isRare() {
    lowWater.reset(Map.of(), 0, millis(200));
    lowWater.claimed(true);
    assertThat(lowWater.needsReset(millis(3_999))).isFalse();
    assertThat(lowWater.needsReset(millis(4_000))).isTrue();
  }

  @Test
  void reset_whereTheLastClaimTookAll_isPutOffForTenClaims() {
    lowWater.reset(Map.of(), 0, millis(1));
    lowWater.claimed(false);
    for (int claim = 0; claim < 10; claim++) {
      assertThat(lowWater.needsReset(millis(5_000 + claim))).isFalse();
    }
    assertThat(lowWater.needsReset(millis(5_010))).isTrue();
    lowWater.reset(Map.of(), millis(5_010), millis(1));
    assertThat(lowWater.needsReset(millis(7_000))).isFalse();
  }

  @Test
  void reset_whereClaimsAreFullAndFarBetween_isNotPutOff() {
    lowWater.reset(Map.of(), 0, millis(1));
    lowWater.claimed(true);
    assertThat(lowWater.needsReset(millis(2_000))).isTrue();
  }

  @Test
  void candidates_belowTheirMark_orMoreUrgentThanAllMarks_areHidden() {
    assertThat(lowWater.hides(candidate(1, P0))).isFalse();
    lowWater.passed(P5, 100);
    assertThat(lowWater.hides(candidate(100, P5))).isTrue();
    assertThat(lowWater.hides(candidate(101, P5))).isFalse();
    assertThat(lowWater.hides(candidate(101, P0))).isTrue();
    assertThat(lowWater.hides(candidate(1, (byte) 6))).isFalse();
    lowWater.appeared(P5, 50);
    assertThat(lowWater.hides(candidate(49, P5))).isTrue();
    assertThat(lowWater.hides(candidate(50, P5))).isFalse();
  }

  private static Candidate candidate(long id, byte priority) {
    return new Candidate(id, priority, 0, 0);
  }

  @Test
  void marks_riseWithClaimsAndFallOnlyByAReset() {
    lowWater.passed(P0, 100);
    lowWater.passed(P0, 50);
    lowWater.passed(P5, 7);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 100L), Map.entry(P5, 7L));
    lowWater.reset(Map.of(P0, 20L), 0, 0);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 19L), Map.entry(P5, 7L));
  }

  @Test
  void recentMarks_longAfterTheLastReset_areNone() {
    lowWater.reset(Map.of(P0, 20L), 0, millis(1));
    lowWater.passed(P0, 30);
    assertThat(lowWater.recentMarks(millis(4_999))).containsExactly(Map.entry(P0, 30L));
    assertThat(lowWater.recentMarks(millis(5_000))).as("others may lie below them").isEmpty();
  }

  @Test
  void recentMarks_whereResetsCostMuch_lastLonger() {
    lowWater.reset(Map.of(P0, 20L), 0, millis(200));
    assertThat(lowWater.recentMarks(millis(19_999))).containsExactly(Map.entry(P0, 19L));
    assertThat(lowWater.recentMarks(millis(20_000))).isEmpty();
  }

  @Test
  void recentMarks_withoutAReset_areNone() {
    lowWater.passed(P0, 100);
    assertThat(lowWater.recentMarks(0)).isEmpty();
  }

  /**
   * A claim that was under way when it appeared raises the mark once more, and must not hide it.
   */
  @Test
  void whatAppears_lowersTheMarkOfTheNextClaim_whateverTheOneUnderWaySays() {
    lowWater.passed(P0, 100);
    lowWater.appeared(P0, 40);
    lowWater.appeared(P0, 60);
    lowWater.appeared(P5, 7);
    lowWater.passed(P0, 120);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 39L));
    lowWater.passed(P0, 120);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 120L));
    lowWater.appeared(P0, 200);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 120L));
  }
}
