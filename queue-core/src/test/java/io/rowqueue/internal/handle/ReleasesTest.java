package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.internal.claim.Body;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.spi.UnreadableException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What cannot be read is given back for an hour of this worker's clock, each message by itself. */
class ReleasesTest {

  private static final Duration HOUR = Duration.ofHours(1);
  private final UnreadableException newer = new UnreadableException("version 3");

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 10);
  private final Releases unreadables = Releases.ofUnreadable(HOUR, nanos::get, () -> 0);
  private final Settlements settlements = new Settlements();
  private final FailureSettlement failures = new FailureSettlement(settlements);

  private static Claim claim(long id, int number, int attempts) {
    Body body = new Body(true, new byte[0], null, 0, 0);
    return new Claim(
        new MessageId(id),
        new Topic("order.paid"),
        LockId.create("host", 1),
        number,
        attempts,
        0,
        false,
        Instant.EPOCH,
        null,
        body);
  }

  private String settle(long id, int number, int attempts) {
    Outcome outcome = unreadables.settle(claim(id, number, attempts), failures, newer);
    String told = settlements.told.get(settlements.told.size() - 1);
    assertThat(outcome)
        .isEqualTo(told.startsWith("release") ? Outcome.UNREADABLE : Outcome.DEAD_LETTERED);
    return told;
  }

  private void later(Duration time) {
    nanos.addAndGet(time.toNanos());
  }

  /** Other messages are handled while it waits. */
  @Test
  void release_ofAMessageThatRunsLongerThanWorkersLive_waitsEverLonger() {
    IntStream.rangeClosed(1, 20).forEach(number -> failures.release(claim(1, number, 0)));
    assertThat(settlements.told)
        .startsWith("release 1 PT0S", "release 1 PT0S", "release 1 PT0S", "release 1 PT1S")
        .contains("release 1 PT2S", "release 1 PT4S")
        .endsWith("release 1 PT4M16S", "release 1 PT4M16S");
  }

  @Test
  void settle_forAnHour_givesBackEverMoreSeldomAndThenSetsAside() {
    List<String> rests = new ArrayList<>();
    String told = settle(1, 1, 0);
    for (int number = 2; told.startsWith("release"); number++) {
      String rest = told.substring("release 1 ".length());
      rests.add(rest);
      later(Duration.parse(rest));
      told = settle(1, number, 0);
    }
    assertThat(told).isEqualTo("unreadable 1");
    assertThat(rests)
        .startsWith("PT5S", "PT5S", "PT10S", "PT20S", "PT40S", "PT1M20S", "PT2M40S", "PT5M");
    assertThat(rests).as("claims in an hour").hasSizeLessThan(20);
  }

  @Test
  void refused_forTenMinutes_isHandledADozenTimesAndThenSetAside() {
    Releases refused = Releases.ofRefused(nanos::get, () -> 0);
    IllegalStateException packet = new IllegalStateException("Got a packet bigger than allowed");
    List<Long> rests = new ArrayList<>();
    Outcome outcome = Outcome.UNHANDLED;
    for (int number = 1; outcome == Outcome.UNHANDLED; number++) {
      outcome = refused.settle(claim(1, number, 0), failures, packet);
      String told = settlements.told.get(number - 1);
      if (outcome == Outcome.UNHANDLED) {
        Duration rest = Duration.parse(told.substring("release 1 ".length()));
        rests.add(rest.toSeconds());
        later(rest);
      }
    }
    assertThat(settlements.told).last().isEqualTo("settlement-refused 1");
    assertThat(rests).containsExactly(1L, 1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 300L);
  }

  @Test
  void deadLetterThatIsRefused_isReleasedAgain() {
    settle(1, 1, 0);
    later(HOUR);
    settlements.refusal =
        new DatabaseUnavailableException("no", new SQLException("no", "45000", 1644));
    assertThat(settle(1, 30, 0)).isEqualTo("release 1 PT5M");
    settlements.refusal = null;
    later(Duration.ofMinutes(5));
    assertThat(settle(1, 31, 0)).isEqualTo("unreadable 1");
  }

  /** A full MEMORY table of the handler's own stays full, however often it is tried. */
  @Test
  void shortage_ofAnHour_isTriedEverMoreSeldomAndEnds() {
    Releases shortages = Releases.ofShortage(nanos::get, () -> 0);
    IllegalStateException full = new IllegalStateException("The table 'scratch' is full");
    Outcome outcome = Outcome.UNHANDLED;
    int runs = 0;
    while (outcome == Outcome.UNHANDLED) {
      outcome = shortages.settle(claim(1, ++runs, 0), failures, full);
      String told = settlements.told.get(runs - 1);
      if (outcome == Outcome.UNHANDLED) {
        nanos.addAndGet(Duration.parse(told.substring("release 1 ".length())).toNanos());
      }
    }
    assertThat(settlements.told).last().isEqualTo("attempts-exhausted 1");
    assertThat(runs).isBetween(200, 400);
  }

  @Test
  void settle_givenBackTogether_comeBackApart() {
    Releases real = Releases.ofUnreadable(UnreadableSettings.defaults());
    Set<Duration> rests = new HashSet<>();
    for (int id = 1; id <= 100; id++) {
      real.settle(claim(id, 1, 0), failures, newer);
      String told = settlements.told.get(settlements.told.size() - 1);
      rests.add(Duration.parse(told.substring(("release " + id + " ").length())));
    }
    assertThat(rests)
        .hasSize(100)
        .allSatisfy(
            rest -> assertThat(rest).isBetween(Duration.ofSeconds(5), Duration.ofMillis(7_500)))
        .anySatisfy(rest -> assertThat(rest).isLessThan(Duration.ofMillis(5_500)))
        .anySatisfy(rest -> assertThat(rest).isGreaterThan(Duration.ofMillis(7_000)));
  }

  @Test
  void settle_eachMessageByItself_hasAnHour() {
    settle(1, 1, 0);
    later(HOUR.minusNanos(1));
    assertThat(settle(1, 20, 0)).startsWith("release");
    assertThat(settle(2, 1, 0)).isEqualTo("release 2 PT5S");
    nanos.incrementAndGet();
    assertThat(settle(1, 21, 0)).isEqualTo("unreadable 1");
    assertThat(settle(2, 2, 0)).as("began later").isEqualTo("release 2 PT5S");
  }

  @Test
  void settle_afterAnotherWorkerReadIt_beginsAnew() {
    settle(1, 1, 0);
    later(HOUR);
    assertThat(settle(1, 30, 1)).as("it failed elsewhere").isEqualTo("release 1 PT5S");
    later(HOUR);
    assertThat(settle(1, 31, 1)).as("put off for longer than by us").isEqualTo("release 1 PT5S");
  }

  @Test
  void settle_redrivenByWhoeverSetItAside_beginsAnew() {
    settle(1, 9, 0);
    later(HOUR);
    assertThat(settle(1, 1, 0)).as("its claims begin at zero").isEqualTo("release 1 PT5S");
    later(HOUR);
    assertThat(settle(1, 40, 0)).isEqualTo("unreadable 1");
    assertThat(settle(1, 1, 0)).isEqualTo("release 1 PT5S");
  }

  @Test
  void settle_seldomSeenInALargeFleet_reachesItsHour() {
    settle(1, 1, 0);
    later(Duration.ofMinutes(50));
    assertThat(settle(1, 15, 0)).isEqualTo("release 1 PT5M");
    later(Duration.ofMinutes(50));
    assertThat(settle(1, 25, 0)).isEqualTo("unreadable 1");
  }

  @Test
  void settle_afterMoreTimeThanNanosecondsCount_givesBack() {
    Releases patient = Releases.ofUnreadable(Duration.ofDays(365L * 1_000), nanos::get, () -> 0);
    assertThat(patient.settle(claim(1, 1, 0), failures, newer)).isEqualTo(Outcome.UNREADABLE);
  }

  @Test
  void read_afterAll_beginsAnewTheNextTime() {
    unreadables.forget(new MessageId(1));
    settle(1, 1, 0);
    unreadables.forget(new MessageId(1));
    later(HOUR);
    assertThat(settle(1, 30, 0)).isEqualTo("release 1 PT5S");
  }

  @Test
  void settle_claimThatWasLost_saysSo() {
    settlements.held = false;
    assertThatThrownBy(() -> unreadables.settle(claim(1, 1, 0), failures, newer))
        .isInstanceOf(ClaimLostException.class);
    later(HOUR);
    assertThatThrownBy(() -> unreadables.settle(claim(1, 30, 0), failures, newer))
        .isInstanceOf(ClaimLostException.class);
  }

  @Test
  void memory_ofAsManyAsItHolds_keepsThemUntilTheyAreSeenNoMore() {
    ReleasedMessages memory = new ReleasedMessages();
    for (long id = 1; id <= ReleasedMessages.MOST; id++) {
      assertThat(memory.age(claim(id, 1, 0), 0)).isZero();
    }
    long quarter = Duration.ofMinutes(15).toNanos();
    assertThat(memory.age(claim(20_000, 1, 0), quarter - 1)).as("no room").isNull();
    assertThat(memory.age(claim(1, 2, 0), quarter)).as("kept").isEqualTo(quarter);
    assertThat(memory.age(claim(20_000, 2, 0), quarter)).as("in place of 2").isZero();
    assertThat(memory.size()).isEqualTo(ReleasedMessages.MOST);
    assertThat(memory.age(claim(1, 3, 0), quarter)).isEqualTo(quarter);
  }

  @Test
  void settle_withoutRoom_restsByWhatTheRowSays() {
    for (long id = 1; id <= ReleasedMessages.MOST; id++) {
      settle(id, 1, 0);
    }
    assertThat(settle(20_000, 1, 0)).isEqualTo("release 20000 PT5S");
    assertThat(settle(20_000, 3, 1)).isEqualTo("release 20000 PT10S");
    assertThat(settle(20_000, 500, 0)).isEqualTo("release 20000 PT5M");
  }
}
