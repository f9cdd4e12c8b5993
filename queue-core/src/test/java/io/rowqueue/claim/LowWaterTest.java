package io.rowqueue.claim;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LowWaterTest {

  private static final Topic TOPIC = new Topic("t");
  private static final LockId ME = LockId.create("me", 1);
  private static final byte P0 = 0;
  private static final byte P5 = 5;

  private final LowWater lowWater = new LowWater();

  private static long millis(long value) {
    return TimeUnit.MILLISECONDS.toNanos(value);
  }

  private static Taken taken(long id, byte priority, int lost) {
    return new Taken(
        new Claim(
            new MessageId(id),
            TOPIC,
            ME,
            1,
            0,
            lost,
            false,
            Instant.EPOCH,
            new Body(true, new byte[0], null, 0, 0)),
        priority);
  }

  @Test
  void reset_isNeededAtFirstAndThenOnceASecond() {
    assertThat(lowWater.needsReset(0)).isTrue();
    lowWater.reset(Map.of(), 0, millis(1));
    assertThat(claims(100, 999)).isFalse();
    assertThat(claims(1_000, 1_000)).isTrue();
  }

  @Test
  void reset_thatCostsMuch_isRare() {
    lowWater.reset(Map.of(), 0, millis(200));
    assertThat(claims(100, 3_999)).isFalse();
    assertThat(claims(4_000, 4_000)).isTrue();
  }

  @Test
  void reset_ofOldMarks_isLeftToTheSecondClaimAfterAPause() {
    lowWater.reset(Map.of(), 0, millis(2));
    assertThat(lowWater.needsReset(millis(5_000))).isFalse();
    assertThat(lowWater.needsReset(millis(5_002))).isTrue();
  }

  /** Whether any claim of a stream of them, one each tenth of a second, needs a reset. */
  private boolean claims(long fromMillis, long toMillis) {
    boolean needed = false;
    for (long now = fromMillis; now <= toMillis; now += 100) {
      needed |= lowWater.needsReset(millis(now));
    }
    return needed;
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
  void batch_withSuspectsLeft_staysBelowThem() {
    ClaimRequest request = new ClaimRequest(TOPIC, ME, 10, 1);
    Batch batch =
        Batch.of(
            request,
            List.of(
                taken(1, P0, 1),
                taken(2, P0, 0),
                taken(3, P0, 1),
                taken(4, P0, 0),
                taken(9, P5, 0)));
    assertThat(batch.claims())
        .extracting(claim -> claim.id().value())
        .containsExactly(1L, 2L, 4L, 9L);
    batch.pass(lowWater);
    assertThat(lowWater.marks()).containsExactly(Map.entry(P0, 2L), Map.entry(P5, 9L));
  }
}
