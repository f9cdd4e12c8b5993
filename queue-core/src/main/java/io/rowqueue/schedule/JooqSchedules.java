package io.rowqueue.schedule;

import static io.rowqueue.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.database.Transaction;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.Headers;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

final class JooqSchedules implements Schedules {

  private final Transactions transactions;
  private final MessageProducer producer;
  private final PayloadCodec codec;

  JooqSchedules(Transactions transactions, MessageProducer producer, PayloadCodec codec) {
    this.transactions = transactions;
    this.producer = producer;
    this.codec = codec;
  }

  @Override
  public void set(Schedule schedule) {
    transactions.run(
        Transition.SCHEDULE_SET,
        tx -> {
          set(tx.dsl(), schedule);
          return schedule;
        });
  }

  /**
   * The INSERT comes first: in REPEATABLE READ two locking reads of a name that is not there would
   * lock its gap, and each other's INSERT out. Its count tells nothing, drivers ask for found rows.
   */
  @Override
  public void set(DSLContext transaction, Schedule schedule) {
    NewMessage message = schedule.message();
    byte[] payload = codec.encode(message.payload());
    Long every = micros(schedule.every());
    transaction
        .insertInto(QUEUE_SCHEDULE)
        .set(QUEUE_SCHEDULE.NAME, schedule.name())
        .set(QUEUE_SCHEDULE.TOPIC, message.topic().name())
        .set(QUEUE_SCHEDULE.CRON, schedule.cron())
        .set(QUEUE_SCHEDULE.ZONE, schedule.zone().getId())
        .set(QUEUE_SCHEDULE.EVERY_MICROS, every)
        .set(QUEUE_SCHEDULE.PAYLOAD, payload)
        .onDuplicateKeyUpdate()
        .set(QUEUE_SCHEDULE.NAME, QUEUE_SCHEDULE.NAME)
        .execute();
    Record there =
        transaction
            .select(QUEUE_SCHEDULE.fields())
            .select(JooqScheduleRow.NOW)
            .from(QUEUE_SCHEDULE)
            .where(QUEUE_SCHEDULE.NAME.eq(schedule.name()))
            .forUpdate()
            .fetchSingle();
    transaction
        .update(QUEUE_SCHEDULE)
        .set(QUEUE_SCHEDULE.TOPIC, message.topic().name())
        .set(QUEUE_SCHEDULE.CRON, schedule.cron())
        .set(QUEUE_SCHEDULE.ZONE, schedule.zone().getId())
        .set(QUEUE_SCHEDULE.EVERY_MICROS, every)
        .set(QUEUE_SCHEDULE.MISSED, schedule.missed().code())
        .set(QUEUE_SCHEDULE.PRIORITY, (byte) message.priority())
        .set(QUEUE_SCHEDULE.HEADERS, Headers.toJson(message.headers()))
        .set(QUEUE_SCHEDULE.PAYLOAD, payload)
        .set(QUEUE_SCHEDULE.NEXT_AT, nextAt(schedule, there))
        .where(QUEUE_SCHEDULE.NAME.eq(schedule.name()))
        .execute();
  }

  /** What is there stays unless it was reckoned from something else, or not at all yet. */
  private static Instant nextAt(Schedule schedule, Record there) {
    Instant next = there.get(QUEUE_SCHEDULE.NEXT_AT);
    boolean same =
        Objects.equals(schedule.cron(), there.get(QUEUE_SCHEDULE.CRON))
            && schedule.zone().getId().equals(there.get(QUEUE_SCHEDULE.ZONE))
            && Objects.equals(micros(schedule.every()), there.get(QUEUE_SCHEDULE.EVERY_MICROS));
    return same && !next.equals(Instant.EPOCH)
        ? next
        : schedule.first(there.get(JooqScheduleRow.NOW));
  }

  private static @Nullable Long micros(@Nullable Duration every) {
    return every == null ? null : every.toNanos() / 1_000;
  }

  @Override
  public List<Instant> next(String name, int count) {
    Record row = transactions.read(dsl -> row(dsl, name));
    if (row == null) {
      throw new InvalidScheduleException("there is no schedule '%s'".formatted(name));
    }
    Instant due = row.get(QUEUE_SCHEDULE.NEXT_AT);
    ScheduleTimes times = JooqScheduleRow.times(row);
    Optional<Instant> next =
        due.equals(Instant.EPOCH) ? times.after(row.get(JooqScheduleRow.NOW)) : Optional.of(due);
    List<Instant> found = new ArrayList<>();
    while (found.size() < count && next.isPresent()) {
      found.add(next.get());
      next = times.after(next.get());
    }
    return found;
  }

  @Override
  public boolean pause(String name) {
    return pause(Transition.SCHEDULE_PAUSE, name, 1);
  }

  @Override
  public boolean resume(String name) {
    return pause(Transition.SCHEDULE_RESUME, name, 0);
  }

  /** Drivers count found rows, so 1 says that it is there, though it was so before. */
  private boolean pause(Transition transition, String name, int paused) {
    return transactions.run(
        transition,
        tx ->
            tx.dsl()
                    .update(QUEUE_SCHEDULE)
                    .set(QUEUE_SCHEDULE.PAUSED, (byte) paused)
                    .where(QUEUE_SCHEDULE.NAME.eq(name))
                    .execute()
                > 0);
  }

  @Override
  public boolean remove(String name) {
    return transactions.run(
        Transition.SCHEDULE_REMOVE,
        tx ->
            tx.dsl().deleteFrom(QUEUE_SCHEDULE).where(QUEUE_SCHEDULE.NAME.eq(name)).execute() > 0);
  }

  @Override
  public boolean runNow(String name) {
    return transactions.run(Transition.SCHEDULE_RUN, tx -> run(tx, name));
  }

  private boolean run(Transaction tx, String name) {
    Record row = row(tx.dsl(), name);
    if (row != null) {
      producer.enqueue(tx.dsl(), JooqScheduleRow.message(row, row.get(JooqScheduleRow.NOW)));
    }
    return row != null;
  }

  private static @Nullable Record row(DSLContext dsl, String name) {
    return dsl.select(QUEUE_SCHEDULE.fields())
        .select(JooqScheduleRow.NOW)
        .from(QUEUE_SCHEDULE)
        .where(QUEUE_SCHEDULE.NAME.eq(name))
        .fetchOne();
  }
}
