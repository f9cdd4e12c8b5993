package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.Schedules;
import io.rowqueue.proof.race.Player.Shut;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: a firing happens once, and whoever changes a schedule changes it before or after a firing.
 * Method: as in RacesIT, the first is held between its last statement and its COMMIT, and the second
 * is seen to wait in the server, or answers.
 */
@QueueTest
class ScheduleRaceIT extends RowRace {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String NAME = "race";
  private static final String MESSAGES = "SELECT payload FROM queue_message";

  private Player second;

  ScheduleRaceIT(QueueDatabase database) {
    super(database);
  }

  @SuppressWarnings("ImmutableEnumChecker") // It does not see that moves hold no state.
  enum Change {
    SET(Transition.SCHEDULE_SET, schedules -> schedules.set(schedule("\"changed\"")), true),
    PAUSE(Transition.SCHEDULE_PAUSE, schedules -> schedules.pause(NAME), false),
    REMOVE(Transition.SCHEDULE_REMOVE, schedules -> schedules.remove(NAME), false);

    private final Transition transition;
    private final Consumer<Schedules> move;
    private final boolean firesAfterIt;

    Change(Transition transition, Consumer<Schedules> move, boolean firesAfterIt) {
      this.transition = transition;
      this.move = move;
      this.firesAfterIt = firesAfterIt;
    }

    private boolean by(Player player) {
      move.accept(player.get(Schedules.class));
      return true;
    }
  }

  @BeforeEach
  void open() {
    second = new Player(database);
    player.get(Schedules.class).set(schedule("\"as set\""));
    database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6)");
  }

  @AfterEach
  void close() {
    second.close();
  }

  private static Schedule schedule(String json) {
    return Schedule.every(NAME, Duration.ofHours(1))
        .enqueues(NewMessage.of("elsewhere", json.getBytes(StandardCharsets.UTF_8)));
  }

  private static int trigger(Player player) {
    return player.get(ScheduleTrigger.class).triggerDue();
  }

  @Test
  void fire_concurrentWithAFiring_passesOverItAndFindsNothingDueAfterIt() throws Exception {
    assertThat(
            external.passes(
                Transition.TRIGGER_SCHEDULE, () -> trigger(player), () -> trigger(second)))
        .isZero();
    assertThat(trigger(second)).isZero();
    assertThat(database.strings(MESSAGES)).containsExactly("\"as set\"");
    assertThat(second.gate().repetitions()).isEmpty();
  }

  @Test
  void fire_whosePollWasOvertaken_firesNothing() throws Exception {
    CompletableFuture<Integer> late;
    try (Shut shut = second.shut()) {
      late = CompletableFuture.supplyAsync(() -> trigger(second));
      Await.that("it has looked", SOON, () -> shut.isWaitedFor() || late.isDone());
      assertThat(late).isNotDone();
      assertThat(trigger(player)).isEqualTo(1);
    }
    assertThat(ExternalBody.answer(late)).isZero();
    assertThat(database.strings(MESSAGES)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void change_concurrentWithAFiring_waitsAndComesAfterIt(Change change) throws Exception {
    assertThat(
            external.<Boolean>follows(
                Transition.TRIGGER_SCHEDULE,
                () -> trigger(player),
                "queue_schedule",
                () -> change.by(second)))
        .isTrue();
    assertThat(database.strings(MESSAGES)).containsExactly("\"as set\"");
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_schedule WHERE next_at < UTC_TIMESTAMP(6)"))
        .as("schedules that did not advance")
        .isZero();
    assertThat(second.gate().repetitions()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void fire_concurrentWithAChange_passesOverItAndFiresWhatItLeft(Change change) throws Exception {
    assertThat(external.passes(change.transition, () -> change.by(player), () -> trigger(second)))
        .isZero();
    assertThat(trigger(second)).isEqualTo(change.firesAfterIt ? 1 : 0);
    assertThat(database.strings(MESSAGES))
        .isEqualTo(change.firesAfterIt ? List.of("\"changed\"") : List.of());
  }
}
