package io.rowqueue.schedule;

import static io.rowqueue.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.message.Headers;
import io.rowqueue.message.NewMessage;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import org.jooq.Field;
import org.jooq.Record;

/** Reads a schedule's row; it is to be selected with {@link #NOW}. */
final class JooqScheduleRow {

  /** The server's time when the row was read. */
  static final Field<Instant> NOW = DatabaseClock.now().as("now_at");

  private static final String NAME_HEADER = "rowqueue-schedule";
  private static final String TIME_HEADER = "rowqueue-scheduled-for";

  private JooqScheduleRow() {}

  /** The row was written by anybody, so it is read as if it were wrong. */
  static ScheduleTimes times(Record row) {
    Instant due = row.get(QUEUE_SCHEDULE.NEXT_AT);
    String cron = row.get(QUEUE_SCHEDULE.CRON);
    Long every = row.get(QUEUE_SCHEDULE.EVERY_MICROS);
    if (cron == null && every == null) {
      throw new InvalidScheduleException(
          "schedule '%s' has neither cron nor a rate".formatted(row.get(QUEUE_SCHEDULE.NAME)));
    }
    if (cron == null) {
      // Not reckoned yet: the grid begins one step after now.
      Duration step = Duration.of(every, ChronoUnit.MICROS);
      boolean fresh = due.equals(Instant.EPOCH);
      return ScheduleTimes.of(step, fresh ? row.get(NOW).plus(step) : due);
    }
    return ScheduleTimes.of(CronSyntax.parse(cron), zone(row.get(QUEUE_SCHEDULE.ZONE)));
  }

  private static ZoneId zone(String id) {
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      throw new InvalidScheduleException("this JVM does not know the time zone '" + id + "'");
    }
  }

  /** Its message for the firing of {@code time}. */
  static NewMessage message(Record row, Instant time) {
    NewMessage message =
        NewMessage.of(row.get(QUEUE_SCHEDULE.TOPIC), row.get(QUEUE_SCHEDULE.PAYLOAD))
            .withPriority(row.get(QUEUE_SCHEDULE.PRIORITY));
    for (Map.Entry<String, String> header :
        Headers.parse(row.get(QUEUE_SCHEDULE.HEADERS)).entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message
        .withHeader(NAME_HEADER, row.get(QUEUE_SCHEDULE.NAME))
        .withHeader(TIME_HEADER, time.toString());
  }
}
