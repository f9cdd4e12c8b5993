package io.rowqueue.bench.schedule;

import io.rowqueue.bench.Bindings;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.contest.Bare;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Schedules that fire once an hour unless they are made due, and a worker with the defaults. */
final class ScheduleScene {

  static final String TOPIC = "by-the-clock";

  private static final Duration LONGEST = Duration.ofMinutes(1);

  private final QueueDatabase database;

  /** From the time that a firing stands for to its handler, in ms. */
  private final Queue<Double> late = new ConcurrentLinkedQueue<>();

  ScheduleScene(QueueDatabase database) {
    this.database = database;
  }

  /** Leaves only so many. */
  void set(int schedules) throws SQLException {
    database.execute("DELETE FROM queue_schedule");
    Schedules all = Schedules.of(Transactions.on(database.dataSource()));
    try (Connection connection = Bare.connect(database)) {
      for (int number = 0; number < schedules; number++) {
        all.set(
            connection,
            Schedule.every("schedule-%04d".formatted(number), Duration.ofHours(1))
                .enqueues(NewMessage.of(TOPIC, new Numbered(number))));
      }
      connection.commit();
    }
  }

  /**
   * How late the handlers of {@code schedules} firings begin, in ms, whose times are {@code apart}
   * from each other, the first in two seconds. The clock of this host must be the server's.
   */
  Figures lateness(int schedules, Duration apart) throws SQLException {
    set(schedules);
    late.clear();
    try (Worker worker = start()) {
      database.execute(
          "UPDATE queue_schedule JOIN (SELECT UTC_TIMESTAMP(6) + INTERVAL 2 SECOND AS begin) AS now SET next_at = begin + INTERVAL %d * CAST(RIGHT(name, 4) AS SIGNED) MICROSECOND"
              .formatted(TimeUnit.NANOSECONDS.toMicros(apart.toNanos())));
      Await.that("all are handled", LONGEST, () -> late.size() >= schedules);
    }
    return Figures.of(List.copyOf(late));
  }

  private Worker start() {
    return Bindings.start(
        database.url(), List.of(Bindings.bind(TOPIC, this::handle, HandlerSettings.defaults())));
  }

  private void handle(Numbered message, HandlerContext context) {
    Instant due =
        Instant.parse(Objects.requireNonNull(context.headers().get(Schedule.TIME_HEADER)));
    late.add(Duration.between(due, Instant.now()).toNanos() / 1e6);
  }

  /** What an idle worker asks in so many seconds beside schedules of the next hour. */
  Effort idle(Meter meter, int schedules, int seconds) throws SQLException {
    set(schedules);
    try (Worker worker = start()) {
      pause(seconds / 2);
      Mark from = meter.mark();
      pause(seconds);
      return meter.since(from, 1);
    }
  }

  private static void pause(int seconds) {
    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(seconds));
  }
}
