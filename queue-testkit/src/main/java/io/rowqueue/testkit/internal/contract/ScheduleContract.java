package io.rowqueue.testkit.internal.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Schedules;
import io.rowqueue.testkit.QueuedMessage;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The contract of schedules: {@link Schedules} and {@link ScheduleTrigger}. */
public interface ScheduleContract {

  /** Returns the queue of this test; the same instance for each call in one test. */
  ContractQueue queue();

  @Test
  default void scheduleAtARate_runsAtMultiplesOfItsInterval() {
    Instant begin = queue().now();
    schedules().set(tick().enqueues(Scene.order("tick").withPriority(3).withHeader("h", "1")));
    assertThat(scheduleTrigger().untilNext()).contains(Scene.MINUTE);
    queue().advance(Scene.MINUTE.minusMillis(1));
    assertThat(trigger()).isEmpty();
    queue().advance(Duration.ofMillis(11));
    assertThat(trigger()).containsExactly(begin.plus(Scene.MINUTE));
    assertThat(scheduleTrigger().untilNext()).contains(Scene.MINUTE.minusMillis(10));
    QueuedMessage message = queue().poll().messages().get(0);
    assertThat(message.state()).isEqualTo(QueuedMessage.State.AVAILABLE);
    assertThat(message.payloadAs(String.class)).isEqualTo("tick");
    assertThat(message.priority()).isEqualTo(3);
    assertThat(message.headers())
        .containsEntry("h", "1")
        .containsEntry(Schedule.NAME_HEADER, "tick");
    queue().advance(Scene.MINUTE.minusMillis(10));
    assertThat(trigger()).hasSize(2);
  }

  @Test
  default void cronSchedule_runsByTheWallClockOfItsZone() {
    ZoneId zone = ZoneId.of("Asia/Tokyo");
    schedules().set(Schedule.cron("daily", "30 6 * * *", zone).enqueues(Scene.order("tick")));
    ZonedDateTime now = queue().now().atZone(zone);
    ZonedDateTime next = now.with(LocalTime.of(6, 30));
    if (!next.isAfter(now)) {
      next = next.plusDays(1);
    }
    assertThat(scheduleTrigger().untilNext()).contains(Duration.between(now, next));
    queue().advance(Duration.between(now, next));
    assertThat(trigger()).containsExactly(next.toInstant());
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofDays(1));
  }

  @Test
  default void scheduleWithAStart_firstRunsThen() {
    Instant first = queue().now().plus(Duration.ofDays(3));
    schedules().set(tick().enqueues(Scene.order("tick")).startingAt(first));
    queue().advance(Duration.ofDays(3).minusMillis(1));
    assertThat(trigger()).isEmpty();
    queue().advance(Duration.ofMillis(1));
    assertThat(trigger()).containsExactly(first);
  }

  @Test
  default void schedulesDueTogether_allRun() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    schedules().set(Schedule.every("tock", Scene.MINUTE).enqueues(Scene.order("tock")));
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(2);
    assertThat(new Scene(queue()).payloads(Scene.ORDERS)).containsExactlyInAnyOrder("tick", "tock");
  }

  @Test
  default void missedRuns_withOnce_runOnce() {
    Instant begin = queue().now();
    schedules().set(tick().enqueues(Scene.order("tick")));
    queue().advance(Duration.ofSeconds(330));
    assertThat(trigger()).containsExactly(begin.plusSeconds(300));
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofSeconds(30));
  }

  @Test
  default void missedRuns_withSkip_areSkippedAfterTheGrace() {
    Schedule skipping = tick().enqueues(Scene.order("tick")).onMisfire(MisfirePolicy.SKIP);
    schedules().set(skipping.withGrace(Duration.ofSeconds(29)));
    queue().advance(Duration.ofSeconds(330));
    assertThat(trigger()).isEmpty();
    schedules().set(skipping.withGrace(Duration.ofSeconds(30)));
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
  }

  @Test
  default void missedRuns_withAll_runAHundredInATransaction() {
    Instant begin = queue().now();
    schedules().set(tick().enqueues(Scene.order("tick")).onMisfire(MisfirePolicy.ALL));
    queue().advance(Scene.MINUTE.multipliedBy(103));
    assertThat(scheduleTrigger().triggerDue()).isOne();
    assertThat(triggered()).hasSize(100).startsWith(begin.plus(Scene.MINUTE));
    assertThat(trigger()).hasSize(103).endsWith(queue().now());
  }

  @Test
  default void pausedSchedule_doesNotRun_untilItIsResumed() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    assertThat(schedules().pause("tick")).isTrue();
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).isEmpty();
    assertThat(scheduleTrigger().untilNext()).isEmpty();
    schedules().set(tick().enqueues(Scene.order("changed")));
    assertThat(trigger()).isEmpty();
    assertThat(schedules().resume("tick")).isTrue();
    assertThat(trigger()).hasSize(1);
    assertThat(schedules().pause("other")).isFalse();
    assertThat(schedules().resume("other")).isFalse();
  }

  @Test
  default void removedSchedule_doesNotRun_andItsMessagesStay() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
    assertThat(schedules().remove("tick")).isTrue();
    assertThat(schedules().remove("tick")).isFalse();
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
  }

  @Test
  default void scheduleRunNow_keepsItsTimes() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    queue().advance(Duration.ofSeconds(10));
    assertThat(schedules().runNow("tick")).isTrue();
    assertThat(schedules().runNow("other")).isFalse();
    assertThat(triggered()).containsExactly(queue().now());
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofSeconds(50));
  }

  @Test
  default void changedMessage_isUsedByTheNextRun_whoseTimeStays() {
    schedules().set(tick().enqueues(Scene.order("before")));
    queue().advance(Duration.ofSeconds(20));
    schedules().set(tick().enqueues(Scene.order("after")));
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofSeconds(40));
    queue().advance(Duration.ofSeconds(40));
    assertThat(trigger()).hasSize(1);
    assertThat(new Scene(queue()).payloads(Scene.ORDERS)).containsExactly("after");
  }

  @Test
  default void changedRate_takesTheEarlierOfBothTimes() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    queue().advance(Duration.ofSeconds(20));
    schedules().set(Schedule.every("tick", Duration.ofSeconds(90)).enqueues(Scene.order("tick")));
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofSeconds(40));
    Duration shorter = Duration.ofSeconds(30);
    schedules().set(Schedule.every("tick", shorter).enqueues(Scene.order("tick")));
    assertThat(scheduleTrigger().untilNext()).contains(shorter);
  }

  @Test
  default void changedRateWithAStart_hasItsGrid() {
    schedules().set(tick().enqueues(Scene.order("tick")));
    queue().advance(Duration.ofSeconds(20));
    Schedule slower = Schedule.every("tick", Duration.ofSeconds(90));
    Instant begun = queue().now().minusSeconds(10);
    schedules().set(slower.startingAt(begun).enqueues(Scene.order("tick")));
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofSeconds(80));
    Instant later = queue().now().plus(Duration.ofDays(3));
    schedules().set(tick().startingAt(later).enqueues(Scene.order("tick")));
    assertThat(scheduleTrigger().untilNext()).contains(Duration.ofDays(3));
  }

  @Test
  default void override_outlivesDeclarations_untilItIsReverted() {
    assertThat(schedules().declare(tick().enqueues(Scene.order("code")))).isTrue();
    schedules().override(tick().enqueues(Scene.order("operator")));
    assertThat(schedules().declare(tick().enqueues(Scene.order("code")))).isFalse();
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
    assertThat(schedules().reset("tick")).isTrue();
    assertThat(schedules().reset("other")).isFalse();
    assertThat(schedules().declare(tick().enqueues(Scene.order("code")))).isTrue();
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(2);
    assertThat(new Scene(queue()).payloads(Scene.ORDERS)).containsExactly("operator", "code");
  }

  @Test
  default void declaredSchedule_thatWasChanged_keepsTheChange() {
    assertThat(schedules().declare(tick().enqueues(Scene.order("old")))).isTrue();
    assertThat(schedules().declare(tick().enqueues(Scene.order("new")))).isTrue();
    assertThat(schedules().keepDeclared("tick")).isTrue();
    assertThat(schedules().keepDeclared("other")).isFalse();
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
    assertThat(new Scene(queue()).payloads(Scene.ORDERS)).containsExactly("new");
  }

  @Test
  default void declaredSchedule_cannotBeSetByServices() {
    assertThat(schedules().declare(tick().enqueues(Scene.order("code")))).isTrue();
    assertThatThrownBy(() -> schedules().set(tick().enqueues(Scene.order("service"))))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("schedule 'tick'");
    queue().advance(Scene.MINUTE);
    assertThat(trigger()).hasSize(1);
    assertThat(new Scene(queue()).payloads(Scene.ORDERS)).containsExactly("code");
  }

  @Test
  default void scheduleSetInATransaction_existsWithItsCommit() {
    Scene scene = new Scene(queue());
    Schedule schedule = tick().enqueues(Scene.order("tick"));
    scene.rollBack(tx -> schedules().set(tx.connection(), schedule));
    assertThat(scheduleTrigger().untilNext()).isEmpty();
    scene.commit(tx -> schedules().set(tx.connection(), schedule));
    assertThat(scheduleTrigger().untilNext()).contains(Scene.MINUTE);
  }

  @Test
  default void scheduleWithoutAMessage_isRejected() {
    assertThatThrownBy(() -> schedules().set(tick()))
        .isInstanceOf(InvalidScheduleException.class)
        .hasMessageContaining("schedule 'tick'");
    assertThat(scheduleTrigger().untilNext()).isEmpty();
  }

  private Schedules schedules() {
    return queue().capacity(Schedules.class);
  }

  private ScheduleTrigger scheduleTrigger() {
    return queue().capacity(ScheduleTrigger.class);
  }

  private static Schedule tick() {
    return Schedule.every("tick", Scene.MINUTE);
  }

  /** Runs all due schedules; returns the scheduled times of all messages in the queue. */
  private List<Instant> trigger() {
    for (int round = 0; scheduleTrigger().triggerDue() > 0; round++) {
      assertThat(round).as("rounds in which something was due").isLessThan(10);
    }
    return triggered();
  }

  private List<Instant> triggered() {
    return queue().poll().messages().stream()
        .map(message -> Instant.parse(message.headers().get(Schedule.TIME_HEADER)))
        .toList();
  }
}
