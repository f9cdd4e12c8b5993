package io.rowqueue.worker.internal.doctor;

import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads the times of schedules, without their messages. */
final class JooqDeclaredSchedules {

  static final int MOST = 1_000;

  private JooqDeclaredSchedules() {}

  /**
   * A schedule's row, which plain SQL may have written with any values.
   *
   * @param now the server's time of the read
   */
  record Standing(
      String name,
      @Nullable String cron,
      String zone,
      @Nullable Duration every,
      Instant nextAt,
      @Nullable Instant lastAt,
      @Nullable Instant declaredAt,
      Instant now) {}

  /** Returns those that are not paused, the first thousand by name. */
  static List<Standing> read(Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_SCHEDULE.NAME,
                    QUEUE_SCHEDULE.CRON,
                    QUEUE_SCHEDULE.ZONE,
                    QUEUE_SCHEDULE.EVERY_MICROS,
                    QUEUE_SCHEDULE.NEXT_AT,
                    QUEUE_SCHEDULE.LAST_AT,
                    QUEUE_SCHEDULE.DECLARED_AT,
                    DatabaseClock.now())
                .from(QUEUE_SCHEDULE.forceIndex("PRIMARY"))
                .where(QUEUE_SCHEDULE.PAUSED.eq((byte) 0))
                .orderBy(QUEUE_SCHEDULE.NAME)
                .limit(MOST)
                .fetch(
                    row ->
                        new Standing(
                            row.value1(),
                            row.value2(),
                            row.value3(),
                            length(row.value4()),
                            row.value5(),
                            row.value6(),
                            row.value7(),
                            row.value8())));
  }

  private static @Nullable Duration length(@Nullable Long micros) {
    return micros == null ? null : Duration.of(micros, ChronoUnit.MICROS);
  }
}
