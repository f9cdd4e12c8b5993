package io.rowqueue.internal.schedule;

import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.PayloadException;
import io.rowqueue.QueueException;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PiggybackQuery;
import io.rowqueue.internal.database.Refusals;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.schedule.ScheduleTimes.ScheduledRuns;
import io.rowqueue.internal.text.Humanize;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.spi.PayloadCodec;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Select;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public final class JooqScheduleTrigger implements ScheduleTrigger {

  private static final int MOST_NAMES = 100;

  /** By then another worker has run it, or an operator has repaired the row. */
  private static final Duration AFTER_A_FAULT = Duration.ofMinutes(1);

  private static final Duration AFTER_A_REFUSAL = Duration.ofSeconds(1);

  /** Its transaction was repeated for about as long, and the others waited for it. */
  private static final Duration AFTER_REPETITIONS = Duration.ofSeconds(10);

  private static final Table<?> BY_DUE = QUEUE_SCHEDULE.forceIndex("queue_schedule_due");

  /** Piggyback queries return texts; this one is empty without a schedule that runs. */
  private static final Field<String> MICROS_UNTIL_NEXT =
      DSL.field(
              "COALESCE(CONCAT(TIMESTAMPDIFF(MICROSECOND, UTC_TIMESTAMP(6), {0})), '')",
              String.class, DSL.min(QUEUE_SCHEDULE.NEXT_AT))
          .as("micros_until_next");

  private final Transactions transactions;
  private final MessageProducer producer;
  private final FailedSchedules aside = new FailedSchedules();

  /** The most runs of a schedule in one transaction, if the server has refused more. */
  private final Map<String, Integer> mostRuns = new ConcurrentHashMap<>();

  public JooqScheduleTrigger(Transactions transactions, MessageLimits limits) {
    this.transactions = transactions;
    this.producer = producer(limits);
  }

  /** For messages whose payloads are already encoded; the codec passes bytes through unchanged. */
  static MessageProducer producer(MessageLimits limits) {
    return MessageProducer.create(PayloadCodec.json(), limits);
  }

  @Override
  public PiggybackQuery question(Consumer<Optional<Duration>> untilNext) {
    return PiggybackQuery.texts(next(), texts -> untilNext.accept(untilNext(texts)));
  }

  @Override
  public Optional<Duration> untilNext() {
    AtomicReference<Optional<Duration>> answer = new AtomicReference<>(Optional.empty());
    transactions.ask(List.of(question(answer::set)));
    return Objects.requireNonNull(answer.get());
  }

  private static Optional<Duration> untilNext(List<String> texts) {
    return texts.stream()
        .filter(text -> !text.isEmpty())
        .findFirst()
        .map(text -> Duration.of(Long.parseLong(text), ChronoUnit.MICROS));
  }

  private Select<Record1<String>> next() {
    return DSL.select(MICROS_UNTIL_NEXT).from(BY_DUE).where(isDue());
  }

  /** Neither paused nor skipped after a failure. */
  private Condition isDue() {
    Condition running = QUEUE_SCHEDULE.PAUSED.eq((byte) 0);
    Set<String> left = aside.names();
    return left.isEmpty() ? running : running.and(QUEUE_SCHEDULE.NAME.notIn(left));
  }

  @Override
  public int triggerDue() {
    int moved = 0;
    Refusals<String> failed = new Refusals<>();
    for (String name : due()) {
      if (Thread.currentThread().isInterrupted()) {
        return moved;
      }
      try {
        moved += trigger(name) ? 1 : 0;
      } catch (QueueException e) {
        if (TransientFailures.isUnavailable(e)) {
          throw e;
        }
        // The others may not meet it: a lock, or a transaction that is too large for a cluster.
        failed.add(name, e, moved > 0);
      }
    }
    QueueException last = failed.last();
    if (last != null && moved == 0) {
      throw last;
    }
    return moved;
  }

  /** The longest due first, without locks. */
  private List<String> due() {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_SCHEDULE.NAME)
                .from(BY_DUE)
                .where(isDue())
                .and(QUEUE_SCHEDULE.NEXT_AT.le(DatabaseClock.now()))
                .orderBy(QUEUE_SCHEDULE.NEXT_AT)
                .limit(MOST_NAMES)
                .fetch(QUEUE_SCHEDULE.NAME));
  }

  /** Throws after a transient failure. */
  private boolean trigger(String name) {
    int most = mostRuns.getOrDefault(name, ScheduledRuns.MOST);
    AtomicInteger runs = new AtomicInteger();
    try {
      boolean moved =
          transactions.run(Transition.TRIGGER_SCHEDULE, tx -> trigger(tx, name, most, runs));
      aside.clear(name);
      mostRuns.computeIfPresent(
          name, (same, last) -> 2 * last < ScheduledRuns.MOST ? 2 * last : null);
      return moved;
    } catch (InvalidScheduleException | InvalidMessageException | PayloadException e) {
      aside.snooze(name, AFTER_A_FAULT, e);
    } catch (QueueException e) {
      if (TransientFailures.isUnavailable(e)) {
        throw e;
      }
      boolean refused = RefusedRows.isRefusal(e, runs.get());
      if (refused && runs.get() > 1) {
        mostRuns.put(name, runs.get() / 2);
      }
      aside.snooze(name, refused ? AFTER_A_REFUSAL : AFTER_REPETITIONS, e);
      if (TransientFailures.isTransient(e)) {
        throw e;
      }
    } catch (RuntimeException e) {
      // A row that is invalid in an unforeseen way must not block other schedules.
      aside.snooze(name, AFTER_A_FAULT, e);
    }
    return false;
  }

  /**
   * @param tried is set to the number of runs
   */
  private boolean trigger(Transaction tx, String name, int most, AtomicInteger tried) {
    Record row = lock(tx, name);
    if (row == null) {
      return false;
    }
    ScheduledRuns runs = runs(row, most);
    tried.set(runs.times().size());
    producer.enqueueAll(
        tx.connectionForProducers(),
        runs.times().stream().map(time -> JooqScheduleRow.message(row, time)).toList());
    advance(tx, row, runs);
    return true;
  }

  private static @Nullable Record lock(Transaction tx, String name) {
    return tx.dsl()
        .select(QUEUE_SCHEDULE.fields())
        .select(JooqScheduleRow.NOW)
        .from(QUEUE_SCHEDULE.forceIndex("PRIMARY"))
        .where(QUEUE_SCHEDULE.NAME.eq(name))
        .and(QUEUE_SCHEDULE.PAUSED.eq((byte) 0))
        .and(QUEUE_SCHEDULE.NEXT_AT.le(DatabaseClock.now()))
        .forUpdate()
        .skipLocked()
        .fetchOne();
  }

  private static ScheduledRuns runs(Record row, int most) {
    Instant now = row.get(JooqScheduleRow.NOW);
    ScheduleTimes times = JooqScheduleRow.times(row);
    if (JooqScheduleRow.isNew(row)) {
      return new ScheduledRuns(List.of(), times.after(now));
    }
    return ScheduledRuns.of(
        times,
        JooqScheduleRow.policy(row).withMostRuns(most),
        row.get(QUEUE_SCHEDULE.NEXT_AT),
        now);
  }

  private static void advance(Transaction tx, Record row, ScheduledRuns runs) {
    List<Instant> times = runs.times();
    @Nullable Instant last =
        times.isEmpty() ? row.get(QUEUE_SCHEDULE.LAST_AT) : times.get(times.size() - 1);
    int advanced =
        tx.dsl()
            .update(QUEUE_SCHEDULE)
            .set(QUEUE_SCHEDULE.NEXT_AT, next(runs))
            .set(QUEUE_SCHEDULE.LAST_AT, last)
            .where(QUEUE_SCHEDULE.NAME.eq(row.get(QUEUE_SCHEDULE.NAME)))
            .and(QUEUE_SCHEDULE.NEXT_AT.eq(row.get(QUEUE_SCHEDULE.NEXT_AT)))
            .execute();
    if (advanced != 1) {
      throw new IllegalStateException(
          "schedule '%s' was advanced by another transaction although its row was locked"
              .formatted(row.get(QUEUE_SCHEDULE.NAME)));
    }
  }

  /** A time beyond the range of the column is stored as {@code NEVER}. */
  private static Instant next(ScheduledRuns runs) {
    return runs.next().filter(ScheduleTimes.NEVER::isAfter).orElse(ScheduleTimes.NEVER);
  }

  /**
   * The schedules that this process skips for a while after a failure. Each reason is logged once.
   * Thread-safe.
   */
  private static final class FailedSchedules {

    private static final Logger LOG = LoggerFactory.getLogger(JooqScheduleTrigger.class);

    private final Map<String, Left> left = new ConcurrentHashMap<>();

    private record Left(long untilNanos, String why) {}

    void snooze(String name, Duration time, Exception failure) {
      String why = String.valueOf(failure.getMessage());
      Left before = left.put(name, new Left(System.nanoTime() + time.toNanos(), why));
      if (before == null || !before.why.equals(why)) {
        LOG.warn(
            "schedule {} cannot run on this worker, which tries again every {}: {}",
            name,
            Humanize.duration(time),
            why);
      } else {
        LOG.debug("schedule {} still cannot run on this worker: {}", name, why);
      }
    }

    /** It runs again, or another worker has run it. */
    void clear(String name) {
      left.remove(name);
    }

    /** The schedules that are still skipped. */
    Set<String> names() {
      if (left.isEmpty()) {
        return Set.of();
      }
      long now = System.nanoTime();
      return left.entrySet().stream()
          .filter(entry -> entry.getValue().untilNanos - now > 0)
          .map(Map.Entry::getKey)
          .collect(Collectors.toUnmodifiableSet());
    }
  }
}
