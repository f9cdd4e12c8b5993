package io.rowqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.Deduplication;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScheduleTest {

  private static final Instant NOW = Instant.parse("2026-03-06T10:20:30.000004Z");
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void first_ofARate_isOneStepFromNow() {
    assertThat(ScheduleTimes.first(Schedule.every("a", HOUR), NOW)).isEqualTo(NOW.plus(HOUR));
  }

  @Test
  void first_ofARateThatStartsLater_isItsStart() {
    Instant start = NOW.plusSeconds(5);

    assertThat(ScheduleTimes.first(Schedule.every("a", HOUR).startingAt(start), NOW))
        .isEqualTo(start);
  }

  @Test
  void first_ofARateThatStartedBefore_isTheNextOfItsGrid() {
    Instant start = Instant.parse("2026-03-06T00:15:00Z");

    assertThat(ScheduleTimes.first(Schedule.every("a", HOUR).startingAt(start), NOW))
        .isEqualTo("2026-03-06T11:15:00Z");
  }

  @Test
  void first_ofAnExpression_isTheNextThatItNames() {
    assertThat(ScheduleTimes.first(daily(), NOW)).isEqualTo("2026-03-07T05:30:00Z");
  }

  @Test
  void first_ofAnExpressionThatStartsAtAFiring_isThatFiring() {
    Instant start = Instant.parse("2026-03-09T05:30:00Z");

    assertThat(ScheduleTimes.first(daily().startingAt(start), NOW)).isEqualTo(start);
    assertThat(ScheduleTimes.first(daily().startingAt(start.plusSeconds(1)), NOW))
        .isEqualTo("2026-03-10T05:30:00Z");
  }

  private static Schedule daily() {
    return Schedule.cron("a", "30 6 * * *", ZoneId.of("Europe/Berlin"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "a b", "é", "a\n"})
  void name_thatTheColumnDoesNotHold_isRefused(String name) {
    assertThatThrownBy(() -> Schedule.every(name, HOUR))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("cannot be stored: a name has 1 to 128 printable ASCII characters");
  }

  @Test
  void name_ofMoreThan128Characters_isRefused() {
    assertThat(Schedule.every("a".repeat(128), HOUR).name()).hasSize(128);
    assertThatThrownBy(() -> Schedule.every("a".repeat(129), HOUR))
        .isInstanceOf(InvalidScheduleException.class);
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0.999999S", "PT0S", "PT-1H", "PT876600H0.000001S"})
  void rate_outsideItsRange_isRefused(Duration every) {
    assertThatThrownBy(() -> Schedule.every("a", every))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("schedule 'a' cannot run every " + Humanize.duration(every));
  }

  @Test
  void rate_isCutToMicroseconds() {
    assertThat(Schedule.every("a", Duration.ofSeconds(1).plusNanos(1_999)).every())
        .isEqualTo(Duration.ofSeconds(1).plusNanos(1_000));
  }

  @Test
  void expression_thatIsNone_isRefusedWithTheSchedulesName() {
    assertThatThrownBy(() -> Schedule.cron("a", "0 0 30 2 *", ZoneOffset.UTC))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("schedule 'a' is invalid: cron expression '0 0 30 2 *'");
  }

  @Test
  void message_withAKey_isRefused() {
    NewMessage message = NewMessage.of("t", "p").withDeduplication(Deduplication.whileAlive("k"));
    assertThatThrownBy(() -> Schedule.every("a", HOUR).enqueues(message))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("deduplication key");
    NewMessage plain = NewMessage.of("t", "p");
    for (NewMessage keyed : List.of(plain.withOrderingKey("k"), plain.withLimitKey("k"))) {
      assertThatThrownBy(() -> Schedule.every("a", HOUR).enqueues(keyed))
          .isInstanceOf(InvalidScheduleException.class)
          .hasMessageContaining("ordering key or a limit's key");
    }
  }

  @Test
  void message_thatIsDueLater_isRefused() {
    Schedule hourly = Schedule.every("a", HOUR);
    NewMessage message = NewMessage.of("t", "p");

    assertThatThrownBy(() -> hourly.enqueues(message.withDelay(HOUR)))
        .isInstanceOf(InvalidScheduleException.class);
    assertThatThrownBy(() -> hourly.enqueues(message.withDueAt(NOW)))
        .isInstanceOf(InvalidScheduleException.class);
    assertThatThrownBy(hourly::message)
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("schedule 'a' has no message");
  }

  @Test
  void start_outsideTheColumnsYears_isRefused() {
    Schedule hourly = Schedule.every("a", HOUR);

    assertThatThrownBy(() -> hourly.startingAt(Instant.EPOCH))
        .isInstanceOf(InvalidScheduleException.class);
    assertThatThrownBy(() -> hourly.startingAt(Instant.parse("9999-01-01T00:00:00Z")))
        .isInstanceOf(InvalidScheduleException.class);
  }

  @Test
  void grace_outsideItsRange_isRefused() {
    Schedule hourly = Schedule.every("a", HOUR);

    assertThat(hourly.grace()).isEqualTo(Duration.ofMinutes(1));
    assertThat(hourly.withGrace(Duration.ZERO).grace()).isZero();
    assertThatThrownBy(() -> hourly.withGrace(Duration.ofNanos(-1)))
        .isInstanceOf(InvalidScheduleException.class);
  }

  @Test
  void text_showsNoPayload() {
    assertThat(daily().enqueues(NewMessage.of("t", "s3cret")))
        .hasToString("Schedule[a, 30 6 * * * Europe/Berlin]");
    assertThat(Schedule.every("b", HOUR)).hasToString("Schedule[b, PT1H]");
  }
}
