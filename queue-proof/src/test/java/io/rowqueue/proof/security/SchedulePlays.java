package io.rowqueue.proof.security;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.NewMessage;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.QueueDatabase;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;

/** What services and operators do with schedules, over their account. */
final class SchedulePlays {

  private static final String NAME = "play";

  private final QueueDatabase database;
  private final Schedules schedules;

  SchedulePlays(QueueDatabase database, DataSource account) {
    this.database = database;
    this.schedules = Schedules.of(Transactions.on(account));
  }

  static Schedule schedule() {
    return Schedule.every(NAME, Duration.ofHours(1))
        .enqueues(NewMessage.of("play", "p").withHeader("a", "b"));
  }

  /** One that somebody has set, and that is due. */
  static void due(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_schedule (name, topic, every_micros, next_at, payload) VALUES ('play',"
            + " 'play', 3600000000, UTC_TIMESTAMP(6), '{}')");
  }

  void addTo(Plays plays) {
    plays.add("schedules set", () -> schedules.set(schedule()));
    plays.add("schedules set --override", () -> schedules.override(schedule()));
    plays.add("schedules list", () -> schedules.list(3));
    addChange(plays, "show", () -> schedules.find(NAME, 3).isPresent());
    addChange(plays, "pause", () -> schedules.pause(NAME));
    addChange(plays, "resume", () -> schedules.resume(NAME));
    addChange(plays, "reset", () -> schedules.reset(NAME));
    addChange(plays, "remove", () -> schedules.remove(NAME));
  }

  void addRunNow(Plays plays) {
    addChange(plays, "run-now", () -> schedules.runNow(NAME));
  }

  private void addChange(Plays plays, String command, BooleanSupplier change) {
    plays.add(
        "schedules " + command,
        () -> {
          due(database);
          if (!change.getAsBoolean()) {
            throw new AssertionError("it had no effect");
          }
        });
  }
}
