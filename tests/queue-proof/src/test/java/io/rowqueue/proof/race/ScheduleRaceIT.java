package io.rowqueue.proof.race;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.database.Transition;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.race.Player.Gate;
import io.rowqueue.proof.race.Player.Shut;
import io.rowqueue.schedule.Firing;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.LockWaits;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
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
class ScheduleRaceIT {

  private static final Duration SOON = Duration.ofSeconds(40);
  private static final String NAME = "race";
  private static final String MESSAGES = "SELECT payload FROM queue_message";

  private final QueueDatabase database;
  private Player first;
  private Player second;

  ScheduleRaceIT(QueueDatabase database) {
    this.database = database;
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
  }

  @BeforeEach
  void open() {
    first = new Player(database);
    second = new Player(database);
    first.get(Schedules.class).set(schedule("\"as set\""));
    database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6)");
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  private static Schedule schedule(String json) {
    return Schedule.every(NAME, Duration.ofHours(1))
        .enqueues(NewMessage.of("elsewhere", json.getBytes(StandardCharsets.UTF_8)));
  }

  private static int fire(Player player) {
    return player.get(Firing.class).fireDue();
  }

  private static <T> T answer(CompletableFuture<T> answer) throws Exception {
    return answer.get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  /** Starts {@code move} of the first player, and holds it at its COMMIT. */
  private <T> Held<T> hold(Transition transition, Supplier<T> move) throws Exception {
    Gate.Hold hold = first.gate().closeFor(transition);
    CompletableFuture<T> answer = CompletableFuture.supplyAsync(move);
    answer(CompletableFuture.anyOf(hold.reached(), answer));
    assertThat(answer).as("it stands before its COMMIT").isNotDone();
    return new Held<>(hold, answer);
  }

  private record Held<T>(Gate.Hold hold, CompletableFuture<T> answer) implements AutoCloseable {
    @Override
    public void close() {
      hold.letGo();
    }
  }

  @Test
  void fire_besideAFiring_passesOverItAndFindsNothingDueAfterIt() throws Exception {
    try (Held<Integer> firing = hold(Transition.FIRE, () -> fire(first))) {
      assertThat(fire(second)).isZero();
      firing.hold().letGo();
      assertThat(answer(firing.answer())).isEqualTo(1);
    }
    assertThat(fire(second)).isZero();
    assertThat(database.strings(MESSAGES)).containsExactly("\"as set\"");
    assertThat(second.gate().repetitions()).isEmpty();
  }

  @Test
  void fire_whoseLookWasOvertaken_firesNothing() throws Exception {
    CompletableFuture<Integer> late;
    try (Shut shut = second.shut()) {
      late = CompletableFuture.supplyAsync(() -> fire(second));
      Await.that("it has looked", SOON, () -> shut.isWaitedFor() || late.isDone());
      assertThat(late).isNotDone();
      assertThat(fire(first)).isEqualTo(1);
    }
    assertThat(answer(late)).isZero();
    assertThat(database.strings(MESSAGES)).hasSize(1);
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void change_besideAFiring_waitsAndComesAfterIt(Change change) throws Exception {
    CompletableFuture<Void> changed;
    try (Held<Integer> firing = hold(Transition.FIRE, () -> fire(first));
        Connection onlooker = database.connect()) {
      changed = CompletableFuture.runAsync(() -> change.move.accept(second.get(Schedules.class)));
      LockWaits waits = new LockWaits(onlooker, database.isMariaDb());
      Await.until(
          "it waits at the schedule's row", SOON, waits::tables, List.of("queue_schedule")::equals);
      firing.hold().letGo();
      assertThat(answer(firing.answer())).isEqualTo(1);
    }
    answer(changed);
    assertThat(database.strings(MESSAGES)).containsExactly("\"as set\"");
    assertThat(
            database.count("SELECT COUNT(*) FROM queue_schedule WHERE next_at < UTC_TIMESTAMP(6)"))
        .as("schedules that did not advance")
        .isZero();
    assertThat(second.gate().repetitions()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(Change.class)
  void fire_besideAChange_passesOverItAndFiresWhatItLeft(Change change) throws Exception {
    try (Held<String> changing =
        hold(
            change.transition,
            () -> {
              change.move.accept(first.get(Schedules.class));
              return "done";
            })) {
      assertThat(fire(second)).isZero();
      changing.hold().letGo();
      assertThat(answer(changing.answer())).isEqualTo("done");
    }
    assertThat(fire(second)).isEqualTo(change.firesAfterIt ? 1 : 0);
    assertThat(database.strings(MESSAGES))
        .isEqualTo(change.firesAfterIt ? List.of("\"changed\"") : List.of());
  }
}
