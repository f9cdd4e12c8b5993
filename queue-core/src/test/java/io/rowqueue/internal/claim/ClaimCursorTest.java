package io.rowqueue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClaimCursorTest {

  private static final byte P0 = 0;
  private static final byte P5 = 5;

  private final ClaimCursor claimCursor = new ClaimCursor();

  private static long millis(long value) {
    return TimeUnit.MILLISECONDS.toNanos(value);
  }

  @Test
  void reset_isNeededAtFirstAndThenOnceASecond() {
    assertThat(claimCursor.needsReset(0)).isTrue();
    claimCursor.reset(Map.of(), 0, millis(1));
    claimCursor.claimed(true);
    assertThat(claimCursor.needsReset(millis(999))).isFalse();
    assertThat(claimCursor.needsReset(millis(1_000))).isTrue();
  }

  @Test
  void reset_thatCostsMuch_isRare() {
    claimCursor.reset(Map.of(), 0, millis(200));
    claimCursor.claimed(true);
    assertThat(claimCursor.needsReset(millis(3_999))).isFalse();
    assertThat(claimCursor.needsReset(millis(4_000))).isTrue();
  }

  @Test
  void reset_whereTheLastClaimTookAll_isPutOffForTenClaims() {
    claimCursor.reset(Map.of(), 0, millis(1));
    claimCursor.claimed(false);
    for (int claim = 0; claim < 10; claim++) {
      assertThat(claimCursor.needsReset(millis(5_000 + claim))).isFalse();
    }
    assertThat(claimCursor.needsReset(millis(5_010))).isTrue();
    claimCursor.reset(Map.of(), millis(5_010), millis(1));
    assertThat(claimCursor.needsReset(millis(7_000))).isFalse();
  }

  @Test
  void reset_whereClaimsAreFullAndFarBetween_isNotPutOff() {
    claimCursor.reset(Map.of(), 0, millis(1));
    claimCursor.claimed(true);
    assertThat(claimCursor.needsReset(millis(2_000))).isTrue();
  }

  @Test
  void candidates_belowTheirMark_orMoreUrgentThanAllMarks_areHidden() {
    assertThat(claimCursor.skips(candidate(1, P0))).isFalse();
    claimCursor.advance(P5, 100);
    assertThat(claimCursor.skips(candidate(100, P5))).isTrue();
    assertThat(claimCursor.skips(candidate(101, P5))).isFalse();
    assertThat(claimCursor.skips(candidate(101, P0))).isTrue();
    assertThat(claimCursor.skips(candidate(1, (byte) 6))).isFalse();
    claimCursor.onInserted(P5, 50);
    assertThat(claimCursor.skips(candidate(49, P5))).isTrue();
    assertThat(claimCursor.skips(candidate(50, P5))).isFalse();
  }

  private static Candidate candidate(long id, byte priority) {
    return new Candidate(id, priority, 0, 0);
  }

  @Test
  void marks_riseWithClaimsAndFallOnlyByAReset() {
    claimCursor.advance(P0, 100);
    claimCursor.advance(P0, 50);
    claimCursor.advance(P5, 7);
    assertThat(claimCursor.positions()).containsExactly(Map.entry(P0, 100L), Map.entry(P5, 7L));
    claimCursor.reset(Map.of(P0, 20L), 0, 0);
    assertThat(claimCursor.positions()).containsExactly(Map.entry(P0, 19L), Map.entry(P5, 7L));
  }

  @Test
  void recentMarks_longAfterTheLastReset_areNone() {
    claimCursor.reset(Map.of(P0, 20L), 0, millis(1));
    claimCursor.advance(P0, 30);
    assertThat(claimCursor.recentPositions(millis(4_999))).containsExactly(Map.entry(P0, 30L));
    assertThat(claimCursor.recentPositions(millis(5_000)))
        .as("others may lie below them")
        .isEmpty();
  }

  @Test
  void recentMarks_whereResetsCostMuch_lastLonger() {
    claimCursor.reset(Map.of(P0, 20L), 0, millis(200));
    assertThat(claimCursor.recentPositions(millis(19_999))).containsExactly(Map.entry(P0, 19L));
    assertThat(claimCursor.recentPositions(millis(20_000))).isEmpty();
  }

  @Test
  void recentMarks_withoutAReset_areNone() {
    claimCursor.advance(P0, 100);
    assertThat(claimCursor.recentPositions(0)).isEmpty();
  }

  /**
   * A claim that was under way when it appeared raises the mark once more, and must not hide it.
   */
  @Test
  void whatAppears_lowersTheMarkOfTheNextClaim_whateverTheOneUnderWaySays() {
    claimCursor.advance(P0, 100);
    claimCursor.onInserted(P0, 40);
    claimCursor.onInserted(P0, 60);
    claimCursor.onInserted(P5, 7);
    claimCursor.advance(P0, 120);
    assertThat(claimCursor.positions()).containsExactly(Map.entry(P0, 39L));
    claimCursor.advance(P0, 120);
    assertThat(claimCursor.positions()).containsExactly(Map.entry(P0, 120L));
    claimCursor.onInserted(P0, 200);
    assertThat(claimCursor.positions()).containsExactly(Map.entry(P0, 120L));
  }
}
