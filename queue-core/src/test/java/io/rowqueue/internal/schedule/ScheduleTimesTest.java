package io.rowqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTimesTest {

  private static final List<String> ZONES =
      List.of(
          "UTC",
          "Europe/Berlin",
          "America/New_York",
          "Africa/Cairo",
          "Australia/Lord_Howe",
          "Pacific/Apia");

  private static final List<String> EXPRESSIONS =
      List.of(
          "30 2 * * *",
          "15,45 1-3 * * *",
          "0 0 * * *",
          "0 0 30 * *",
          "*/20 * * * *",
          "*/30 2 * * *",
          "15 */2 * * *",
          "* 0 * * 5",
          "5 0 L * *");

  @ParameterizedTest(name = "{0} {1} after {2}")
  @CsvSource(
      delimiter = '|',
      value = {
        // In a gap a fixed time fires at its end, and several of one gap are one firing.
        "30 2 * * *    | Europe/Berlin     | 2026-03-28T12:00:00Z |"
            + " 2026-03-29T01:00:00Z,2026-03-30T00:30:00Z",
        "15,45 2 * * * | Europe/Berlin     | 2026-03-28T12:00:00Z |"
            + " 2026-03-29T01:00:00Z,2026-03-30T00:15:00Z",
        "0 3 * * *     | Europe/Berlin     | 2026-03-28T12:00:00Z |"
            + " 2026-03-29T01:00:00Z,2026-03-30T01:00:00Z",
        "30 2 * * *    | America/New_York  | 2026-03-07T12:00:00Z |"
            + " 2026-03-08T07:00:00Z,2026-03-09T06:30:00Z",
        "0 0 * * *     | Africa/Cairo      | 2024-04-25T12:00:00Z |"
            + " 2024-04-25T22:00:00Z,2024-04-26T21:00:00Z",
        "15 2 * * *    | Australia/Lord_Howe | 2026-10-03T12:00:00Z |"
            + " 2026-10-03T15:30:00Z,2026-10-04T15:15:00Z",
        "0 12 30 * *   | Pacific/Apia      | 2011-12-01T00:00:00Z |"
            + " 2011-12-30T10:00:00Z,2012-01-29T22:00:00Z",
        // In a repeated hour it fires the first time.
        "30 2 * * *    | Europe/Berlin     | 2026-10-24T12:00:00Z |"
            + " 2026-10-25T00:30:00Z,2026-10-26T01:30:00Z",
        "30 2 * * *    | Europe/Berlin     | 2026-10-25T01:10:00Z | 2026-10-26T01:30:00Z",
        "45 1 * * *    | Australia/Lord_Howe | 2026-04-04T12:00:00Z |"
            + " 2026-04-04T14:45:00Z,2026-04-05T15:15:00Z",
        // What follows real time has nothing in a gap, and both of a repeated hour.
        "*/30 2 * * *  | Europe/Berlin     | 2026-03-28T12:00:00Z |"
            + " 2026-03-30T00:00:00Z,2026-03-30T00:30:00Z",
        "*/30 2 * * *  | Europe/Berlin     | 2026-10-24T12:00:00Z |"
            + " 2026-10-25T00:00:00Z,2026-10-25T00:30:00Z,2026-10-25T01:00:00Z,2026-10-25T01:30:00Z,2026-10-26T01:00:00Z",
        "0 * * * *     | Europe/Berlin     | 2026-03-29T00:30:00Z |"
            + " 2026-03-29T01:00:00Z,2026-03-29T02:00:00Z",
        "*/15 1 * * *  | America/New_York  | 2026-11-01T05:40:00Z |"
            + " 2026-11-01T05:45:00Z,2026-11-01T06:00:00Z,2026-11-01T06:15:00Z",
        "*/30 0 * * *  | Africa/Cairo      | 2024-04-25T12:00:00Z |"
            + " 2024-04-26T21:00:00Z,2024-04-26T21:30:00Z",
        "*/15 1 * * *  | Australia/Lord_Howe | 2026-04-04T14:40:00Z |"
            + " 2026-04-04T14:45:00Z,2026-04-04T15:00:00Z,2026-04-04T15:15:00Z,2026-04-05T14:30:00Z",
        "0 */12 * * *  | Pacific/Apia      | 2011-12-29T23:00:00Z |"
            + " 2011-12-30T10:00:00Z,2011-12-30T22:00:00Z"
      })
  void after_aroundATransition(String cron, ZoneId zone, Instant from, String expected) {
    ScheduleTimes times = ScheduleTimes.of(CronSyntax.parse(cron), zone);
    Instant time = from;
    List<String> found = new ArrayList<>();
    for (int i = 0; i < expected.split(",").length; i++) {
      time = times.after(time).orElseThrow();
      found.add(time.toString());
    }
    assertThat(found).containsExactly(expected.split(","));
  }

  @Test
  void after_isStrictlyAscendingAndTheSameFromEveryStartingPoint() {
    Random random = new Random(4);
    for (String zone : ZONES) {
      for (String cron : EXPRESSIONS) {
        ScheduleTimes times = ScheduleTimes.of(CronSyntax.parse(cron), ZoneId.of(zone));
        Instant before = times.after(Instant.parse("2011-12-01T00:00:00Z")).orElseThrow();
        for (int i = 0; i < 1_500; i++) {
          Instant next = times.after(before).orElseThrow();
          String what = "%s in %s: %s, then %s".formatted(cron, zone, before, next);
          assertThat(next).as(what).isAfter(before);
          long seconds = Duration.between(before, next).toSeconds();
          Instant between = before.plusSeconds(random.nextLong(seconds));
          assertThat(times.after(between)).as(what + " from " + between).contains(next);
          assertThat(times.upTo(between)).as(what + " back from " + between).contains(before);
          assertThat(times.upTo(next)).as(what).contains(next);
          before = next;
        }
      }
    }
  }

  @Test
  void rate_isAGridFromItsFirstFiring() {
    Instant first = Instant.parse("2026-03-06T10:00:00.000007Z");
    ScheduleTimes times = ScheduleTimes.of(Duration.ofMinutes(5), first);

    assertThat(times.after(first.minusSeconds(1))).contains(first);
    assertThat(times.upTo(first.minusSeconds(1))).isEmpty();
    assertThat(times.upTo(first)).contains(first);
    assertThat(times.after(first)).contains(first.plusSeconds(300));
    assertThat(times.after(first.plusSeconds(299))).contains(first.plusSeconds(300));
    assertThat(times.upTo(first.plusSeconds(7_000))).contains(first.plusSeconds(6_900));
    assertThat(times.after(first.plusSeconds(7_000))).contains(first.plusSeconds(7_200));
  }
}
