package io.rowqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns.Policy;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class FiringsTest {

  private static final Instant DUE = Instant.parse("2026-03-06T10:00:00Z");
  private static final Duration GRACE = Duration.ofMinutes(1);
  private static final ScheduleTimes HOURLY =
      ScheduleTimes.of(CronSyntax.parse("@hourly"), ZoneOffset.UTC);

  @ParameterizedTest
  @EnumSource(MisfirePolicy.class)
  void of_inTime_isOneFiringWhateverThePolicy(MisfirePolicy missed) {
    ScheduledRuns nextRuns = of(missed, DUE.plusMillis(50));

    assertThat(nextRuns.times()).containsExactly(DUE);
    assertThat(nextRuns.next()).contains(hours(1));
  }

  @Test
  void of_once_isTheLatest() {
    ScheduledRuns nextRuns = of(MisfirePolicy.ONCE, hours(5).plusSeconds(600));

    assertThat(nextRuns.times()).containsExactly(hours(5));
    assertThat(nextRuns.next()).contains(hours(6));
  }

  @Test
  void of_skip_isTheLatestOrNothingBeyondTheGrace() {
    assertThat(of(MisfirePolicy.SKIP, hours(5).plus(GRACE)).times()).containsExactly(hours(5));
    assertThat(of(MisfirePolicy.SKIP, hours(5).plus(GRACE).plusNanos(1_000)).times()).isEmpty();
    assertThat(of(MisfirePolicy.SKIP, hours(5).plusSeconds(600)).next()).contains(hours(6));
  }

  @Test
  void of_all_isEachOldestFirst() {
    ScheduledRuns nextRuns = of(MisfirePolicy.ALL, hours(2).plusSeconds(600));

    assertThat(nextRuns.times()).containsExactly(DUE, hours(1), hours(2));
    assertThat(nextRuns.next()).contains(hours(3));
  }

  @Test
  void of_all_goesOnBehindTheHundredth() {
    ScheduledRuns first = of(MisfirePolicy.ALL, hours(150));
    ScheduledRuns second =
        ScheduledRuns.of(
            HOURLY, new Policy(MisfirePolicy.ALL, GRACE), first.next().orElseThrow(), hours(150));

    assertThat(first.times()).hasSize(ScheduledRuns.MOST).endsWith(hours(99));
    assertThat(first.next()).contains(hours(100));
    assertThat(second.times()).hasSize(51).startsWith(hours(100)).endsWith(hours(150));
    assertThat(second.next()).contains(hours(151));
  }

  @ParameterizedTest
  @EnumSource(MisfirePolicy.class)
  void of_aDueTimeThatTheExpressionDoesNotName_isStillOneFiring(MisfirePolicy missed) {
    Instant due = DUE.plusSeconds(600);
    ScheduledRuns nextRuns =
        ScheduledRuns.of(HOURLY, new Policy(missed, GRACE), due, due.plusSeconds(30));

    assertThat(nextRuns.times()).containsExactly(due);
    assertThat(nextRuns.next()).contains(hours(1));
  }

  private static ScheduledRuns of(MisfirePolicy missed, Instant now) {
    return ScheduledRuns.of(HOURLY, new Policy(missed, GRACE), DUE, now);
  }

  private static Instant hours(int hours) {
    return DUE.plus(Duration.ofHours(hours));
  }
}
