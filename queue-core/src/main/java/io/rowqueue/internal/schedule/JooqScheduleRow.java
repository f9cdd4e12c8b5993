package io.rowqueue.internal.schedule;

import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns.Policy;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.ScheduleDetails.Clock;
import io.rowqueue.operate.ScheduleDetails.Message;
import io.rowqueue.operate.ScheduleDetails.Standing;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.Field;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * Reads a schedule's row, which must be selected with {@link #NOW}. Plain SQL may have written the
 * row, so every column is validated.
 */
final class JooqScheduleRow {

  /** The server's time when the row was read. */
  static final Field<Instant> NOW = DatabaseClock.now().as("now_at");

  private JooqScheduleRow() {}

  static ScheduleTimes times(Record row) {
    String cron = row.get(QUEUE_SCHEDULE.CRON);
    Long micros = row.get(QUEUE_SCHEDULE.EVERY_MICROS);
    if ((cron == null) == (micros == null)) {
      throw fault(row, "it must have either a cron expression or an interval");
    }
    if (cron != null) {
      return ScheduleTimes.of(CronSyntax.parse(cron), zone(row));
    }
    Duration every = Duration.of(micros, ChronoUnit.MICROS);
    // Rejects an interval that cannot be used.
    var unused = Schedule.every(row.get(QUEUE_SCHEDULE.NAME), every);
    // Not computed yet: the grid starts one interval after now.
    return ScheduleTimes.of(
        every, isNew(row) ? row.get(NOW).plus(every) : row.get(QUEUE_SCHEDULE.NEXT_AT));
  }

  private static ZoneId zone(Record row) {
    String id = row.get(QUEUE_SCHEDULE.ZONE);
    try {
      return ZoneId.of(id);
    } catch (DateTimeException e) {
      throw fault(row, "this JVM does not know the time zone '" + id + "'");
    }
  }

  private static InvalidScheduleException fault(Record row, String why) {
    return new InvalidScheduleException(
        "schedule '%s' cannot be read: %s".formatted(row.get(QUEUE_SCHEDULE.NAME), why));
  }

  /** Whether its first run is not computed yet. */
  static boolean isNew(Record row) {
    return row.get(QUEUE_SCHEDULE.NEXT_AT).equals(Instant.EPOCH);
  }

  static Policy policy(Record row) {
    return new Policy(missed(row.get(QUEUE_SCHEDULE.MISFIRE)), grace(row));
  }

  static byte code(MisfirePolicy missed) {
    return switch (missed) {
      case SKIP -> 0;
      case ONCE -> 1;
      case ALL -> 2;
    };
  }

  private static MisfirePolicy missed(byte code) {
    return switch (code) {
      case 0 -> MisfirePolicy.SKIP;
      case 1 -> MisfirePolicy.ONCE;
      case 2 -> MisfirePolicy.ALL;
      default ->
          throw new InvalidScheduleException(
              "missed is 0 (skip), 1 (once) or 2 (all), not " + code);
    };
  }

  private static Duration grace(Record row) {
    return Duration.of(row.get(QUEUE_SCHEDULE.GRACE_MICROS), ChronoUnit.MICROS);
  }

  /** Its message for the run at {@code time}; the payload is already encoded. */
  static NewMessage message(Record row, Instant time) {
    NewMessage message =
        NewMessage.of(row.get(QUEUE_SCHEDULE.TOPIC), row.get(QUEUE_SCHEDULE.PAYLOAD))
            .withPriority(row.get(QUEUE_SCHEDULE.PRIORITY));
    NewMessage stored = stored(message, Headers.parse(row.get(QUEUE_SCHEDULE.HEADERS)));
    return triggered(stored, row.get(QUEUE_SCHEDULE.NAME), time);
  }

  /** {@code message} with {@code headers} as stored in its row. */
  static NewMessage stored(NewMessage message, Map<String, String> headers) {
    NewMessage stored = message;
    for (Map.Entry<String, String> header : headers.entrySet()) {
      stored = stored.withStoredHeader(header.getKey(), header.getValue());
    }
    return stored;
  }

  /** {@code message} as the run at {@code time} enqueues it. */
  static NewMessage triggered(NewMessage message, String name, Instant time) {
    return message
        .withStoredHeader(Schedule.NAME_HEADER, name)
        .withStoredHeader(Schedule.TIME_HEADER, time.toString());
  }

  static List<Instant> next(Record row, int count) {
    ScheduleTimes times = times(row);
    Optional<Instant> next =
        isNew(row) ? times.after(row.get(NOW)) : Optional.of(row.get(QUEUE_SCHEDULE.NEXT_AT));
    List<Instant> found = new ArrayList<>();
    while (found.size() < count && next.filter(ScheduleTimes.NEVER::isAfter).isPresent()) {
      found.add(next.get());
      next = times.after(next.get());
    }
    return found;
  }

  /** The whole schedule, with at most {@code firings} of its next runs. */
  static ScheduleDetails found(Record row, int nextRuns) {
    List<Instant> next = List.of();
    MisfirePolicy missed = null;
    String fault = null;
    try {
      missed = policy(row).missed();
      // Throws whatever a run would throw.
      var unused = message(row, row.get(NOW));
      next = next(row, nextRuns);
    } catch (QueueException e) {
      fault = e.getMessage();
    }
    return new ScheduleDetails(
        row.get(QUEUE_SCHEDULE.NAME),
        clock(row),
        new ScheduleDetails.Policy(missed, grace(row)),
        standing(row),
        enqueued(row),
        next,
        fault);
  }

  private static Clock clock(Record row) {
    @Nullable Long micros = row.get(QUEUE_SCHEDULE.EVERY_MICROS);
    return new Clock(
        row.get(QUEUE_SCHEDULE.CRON),
        row.get(QUEUE_SCHEDULE.ZONE),
        micros == null ? null : Duration.of(micros, ChronoUnit.MICROS));
  }

  private static Standing standing(Record row) {
    return new Standing(
        isSet(row, QUEUE_SCHEDULE.PAUSED),
        isSet(row, QUEUE_SCHEDULE.OVERRIDDEN),
        row.get(QUEUE_SCHEDULE.LAST_AT),
        row.get(QUEUE_SCHEDULE.DECLARED_AT));
  }

  private static Message enqueued(Record row) {
    return new Message(
        row.get(QUEUE_SCHEDULE.TOPIC),
        row.get(QUEUE_SCHEDULE.PRIORITY),
        new StoredBody(row.get(QUEUE_SCHEDULE.PAYLOAD), row.get(QUEUE_SCHEDULE.HEADERS)));
  }

  static boolean isSet(Record row, Field<Byte> mark) {
    return row.get(mark) == 1;
  }
}
