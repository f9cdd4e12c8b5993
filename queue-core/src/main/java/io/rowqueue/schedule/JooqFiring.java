package io.rowqueue.schedule;

import static io.rowqueue.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.database.Transaction;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Fires one schedule: its messages and its advance, in one transaction. Thread-safe. */
final class JooqFiring {

  private static final int MOST_NAMES = 100;

  /** For an expression that names nothing in fifty years. */
  private static final Instant NEVER = Instant.parse("9999-12-31T00:00:00Z");

  private final Transactions transactions;
  private final MessageProducer producer;

  JooqFiring(Transactions transactions, MessageProducer producer) {
    this.transactions = transactions;
    this.producer = producer;
  }

  /** The names of what is due, longest due first; at most a hundred, without locks. */
  List<String> due() {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_SCHEDULE.NAME)
                .from(QUEUE_SCHEDULE)
                .where(QUEUE_SCHEDULE.PAUSED.eq((byte) 0))
                .and(QUEUE_SCHEDULE.NEXT_AT.le(DatabaseClock.now()))
                .orderBy(QUEUE_SCHEDULE.NEXT_AT)
                .limit(MOST_NAMES)
                .fetch(QUEUE_SCHEDULE.NAME));
  }

  /**
   * Fires {@code name} if it is due and nobody else holds it.
   *
   * @return how many messages it enqueued
   * @throws InvalidScheduleException if this JVM cannot read its expression or zone
   */
  int fire(String name) {
    return transactions.run(Transition.FIRE, tx -> fire(tx, name));
  }

  private int fire(Transaction tx, String name) {
    Record row =
        tx.dsl()
            .select(QUEUE_SCHEDULE.fields())
            .select(JooqScheduleRow.NOW)
            .from(QUEUE_SCHEDULE.forceIndex("PRIMARY"))
            .where(QUEUE_SCHEDULE.NAME.eq(name))
            .and(QUEUE_SCHEDULE.PAUSED.eq((byte) 0))
            .and(QUEUE_SCHEDULE.NEXT_AT.le(DatabaseClock.now()))
            .forUpdate()
            .skipLocked()
            .fetchOne();
    if (row == null) {
      return 0;
    }
    Firings firings = firings(row);
    producer.enqueueAll(
        tx.dsl(),
        firings.times().stream().map(time -> JooqScheduleRow.message(row, time)).toList());
    advance(tx, row, firings);
    return firings.times().size();
  }

  private static Firings firings(Record row) {
    Instant due = row.get(QUEUE_SCHEDULE.NEXT_AT);
    Instant now = row.get(JooqScheduleRow.NOW);
    ScheduleTimes times = JooqScheduleRow.times(row);
    if (due.equals(Instant.EPOCH)) {
      return new Firings(List.of(), times.after(now));
    }
    Duration grace = Duration.of(row.get(QUEUE_SCHEDULE.GRACE_MICROS), ChronoUnit.MICROS);
    return Firings.of(times, Missed.of(row.get(QUEUE_SCHEDULE.MISSED)), grace, due, now);
  }

  private static void advance(Transaction tx, Record row, Firings firings) {
    List<Instant> times = firings.times();
    @Nullable Instant last =
        times.isEmpty() ? row.get(QUEUE_SCHEDULE.LAST_AT) : times.get(times.size() - 1);
    int advanced =
        tx.dsl()
            .update(QUEUE_SCHEDULE)
            .set(QUEUE_SCHEDULE.NEXT_AT, firings.next().orElse(NEVER))
            .set(QUEUE_SCHEDULE.LAST_AT, last)
            .where(QUEUE_SCHEDULE.NAME.eq(row.get(QUEUE_SCHEDULE.NAME)))
            .and(QUEUE_SCHEDULE.NEXT_AT.eq(row.get(QUEUE_SCHEDULE.NEXT_AT)))
            .execute();
    if (advanced != 1) {
      throw new IllegalStateException(
          "schedule '%s' was advanced by somebody else under our lock"
              .formatted(row.get(QUEUE_SCHEDULE.NAME)));
    }
  }
}
