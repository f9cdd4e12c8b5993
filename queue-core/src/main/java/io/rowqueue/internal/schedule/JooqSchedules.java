package io.rowqueue.internal.schedule;

import static io.rowqueue.internal.table.Tables.QUEUE_SCHEDULE;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.enqueue.EncodedBody;
import io.rowqueue.internal.enqueue.Encoder;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.SelectJoinStep;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

public final class JooqSchedules implements Schedules {

  private static final Logger LOG = LoggerFactory.getLogger(JooqSchedules.class);

  /** The time with the longest text in a header. */
  private static final Instant TO_THE_MICROSECOND = Instant.parse("2000-01-01T00:00:00.000001Z");

  private final Transactions transactions;
  private final Encoder encoder;
  private final MessageProducer producer;

  /** With JSON payloads within the default limits. */
  public JooqSchedules(Transactions transactions) {
    this(transactions, PayloadCodec.json(), Wrapping.none(), MessageLimits.defaults());
  }

  public JooqSchedules(
      Transactions transactions, PayloadCodec codec, Wrapping wrapping, MessageLimits limits) {
    this(transactions, new Encoder(codec, wrapping, limits));
  }

  public JooqSchedules(Transactions transactions, Encoder encoder) {
    this.transactions = transactions;
    this.encoder = encoder;
    // A schedule's message was within the limits of the process that set it, which may differ.
    this.producer =
        JooqScheduleTrigger.producer(
            encoder
                .limits()
                .withPayloadBytes(Integer.MAX_VALUE)
                .withHeadersBytes(Integer.MAX_VALUE));
  }

  @Override
  public Schedules wrapping(Wrapping other) {
    return new JooqSchedules(transactions, encoder.withWrapping(other));
  }

  /** The source of a schedule. */
  private enum Author {
    SERVICE,
    OPERATOR,
    CODE
  }

  /** A schedule to be written, its payload encoded and wrapped, and its author. */
  private record DesiredSchedule(Schedule schedule, EncodedBody body, Author author) {
    String name() {
      return schedule.name();
    }
  }

  @Override
  public void set(Connection transaction, Schedule schedule) {
    if (commitsByItself(transaction)) {
      throw new IllegalStateException(
          "the connection is in auto-commit mode, so schedule '%s' would not be part of your transaction; call setAutoCommit(false) first"
              .formatted(schedule.name()));
    }
    set(JooqSettings.dsl(transaction, transactions.dialect()), desired(schedule, Author.SERVICE));
  }

  private static boolean commitsByItself(Connection transaction) {
    try {
      return transaction.getAutoCommit();
    } catch (SQLException e) {
      throw new DatabaseUnavailableException("the connection cannot be used: " + e.getMessage(), e);
    }
  }

  @Override
  public void set(Schedule schedule) {
    set(schedule, Author.SERVICE);
  }

  @Override
  public void override(Schedule schedule) {
    set(schedule, Author.OPERATOR);
  }

  @Override
  public boolean declare(Schedule schedule) {
    return set(schedule, Author.CODE);
  }

  @Override
  public boolean keepDeclared(String name) {
    return transactions.run(
        Transition.SCHEDULE_SET,
        tx -> change(tx.dsl(), name, QUEUE_SCHEDULE.DECLARED_AT, DatabaseClock.now()));
  }

  private boolean set(Schedule schedule, Author author) {
    DesiredSchedule desired = desired(schedule, author);
    return transactions.run(Transition.SCHEDULE_SET, tx -> set(tx.dsl(), desired));
  }

  /** Validates the message now, when the caller can see the error, and not at the first run. */
  private DesiredSchedule desired(Schedule schedule, Author author) {
    NewMessage message = schedule.message();
    EncodedBody body = encoder.body(message);
    NewMessage stored = JooqScheduleRow.stored(message, body.headers());
    NewMessage triggered = JooqScheduleRow.triggered(stored, schedule.name(), TO_THE_MICROSECOND);
    encoder.limits().check(message.topic(), body.payload(), Headers.toJson(triggered.headers()));
    return new DesiredSchedule(schedule, body, author);
  }

  /**
   * The INSERT comes first: in REPEATABLE READ two locking reads of a missing name would both lock
   * its gap and block each other's INSERT. The update count is no use, because drivers report found
   * rows.
   */
  private static boolean set(DSLContext transaction, DesiredSchedule desired) {
    insert(transaction, desired);
    Record there = locked(transaction, desired.name());
    Instant declaredAt = there.get(QUEUE_SCHEDULE.DECLARED_AT);
    if (desired.author == Author.CODE && JooqScheduleRow.isSet(there, QUEUE_SCHEDULE.OVERRIDDEN)) {
      change(transaction, desired.name(), QUEUE_SCHEDULE.DECLARED_AT, DatabaseClock.now());
      return false;
    }
    if (desired.author == Author.SERVICE && declaredAt != null) {
      throw new RefusedException(
          "schedule '%s' was not changed: it is declared in the code of a worker that started at %s; change it there, or override it"
              .formatted(desired.name(), declaredAt));
    }
    if (desired.author == Author.CODE && declaredAt != null && !isSame(desired.schedule, there)) {
      LOG.info(
          "schedule {}: {}, which code declared at {}, becomes {}. If both versions stay deployed,"
              + " each start of a worker changes it",
          desired.name(),
          clock(there),
          declaredAt,
          desired.schedule);
    }
    update(transaction, desired, there);
    return true;
  }

  private static String clock(Record there) {
    Long micros = there.get(QUEUE_SCHEDULE.EVERY_MICROS);
    return micros == null
        ? there.get(QUEUE_SCHEDULE.CRON) + " " + there.get(QUEUE_SCHEDULE.ZONE)
        : Duration.of(micros, ChronoUnit.MICROS).toString();
  }

  private static void insert(DSLContext transaction, DesiredSchedule desired) {
    Schedule schedule = desired.schedule;
    transaction
        .insertInto(QUEUE_SCHEDULE)
        .set(QUEUE_SCHEDULE.NAME, schedule.name())
        .set(QUEUE_SCHEDULE.TOPIC, schedule.message().topic().name())
        .set(QUEUE_SCHEDULE.CRON, schedule.cron())
        .set(QUEUE_SCHEDULE.ZONE, schedule.zone().getId())
        .set(QUEUE_SCHEDULE.EVERY_MICROS, micros(schedule.every()))
        .set(QUEUE_SCHEDULE.PAYLOAD, desired.body.payload())
        .onDuplicateKeyUpdate()
        .set(QUEUE_SCHEDULE.NAME, schedule.name())
        .execute();
  }

  private static Record locked(DSLContext transaction, String name) {
    return rows(transaction).where(QUEUE_SCHEDULE.NAME.eq(name)).forUpdate().fetchSingle();
  }

  private static void update(DSLContext transaction, DesiredSchedule desired, Record there) {
    Schedule schedule = desired.schedule;
    NewMessage message = schedule.message();
    boolean overridden =
        desired.author == Author.OPERATOR
            || JooqScheduleRow.isSet(there, QUEUE_SCHEDULE.OVERRIDDEN);
    transaction
        .update(QUEUE_SCHEDULE)
        .set(QUEUE_SCHEDULE.TOPIC, message.topic().name())
        .set(QUEUE_SCHEDULE.CRON, schedule.cron())
        .set(QUEUE_SCHEDULE.ZONE, schedule.zone().getId())
        .set(QUEUE_SCHEDULE.EVERY_MICROS, micros(schedule.every()))
        .set(QUEUE_SCHEDULE.MISFIRE, JooqScheduleRow.code(schedule.misfirePolicy()))
        .set(QUEUE_SCHEDULE.GRACE_MICROS, micros(schedule.grace()))
        .set(QUEUE_SCHEDULE.PRIORITY, (byte) message.priority())
        .set(QUEUE_SCHEDULE.HEADERS, Headers.toJson(desired.body.headers()))
        .set(QUEUE_SCHEDULE.PAYLOAD, desired.body.payload())
        .set(QUEUE_SCHEDULE.NEXT_AT, nextAt(schedule, there))
        .set(QUEUE_SCHEDULE.OVERRIDDEN, (byte) (overridden ? 1 : 0))
        .set(QUEUE_SCHEDULE.DECLARED_AT, declaredAt(there, desired.author))
        .where(QUEUE_SCHEDULE.NAME.eq(schedule.name()))
        .execute();
  }

  /**
   * The stored time is kept unless it was computed from another cron expression or interval, or not
   * at all yet.
   */
  private static Instant nextAt(Schedule schedule, Record there) {
    Instant now = there.get(JooqScheduleRow.NOW);
    if (JooqScheduleRow.isNew(there)) {
      return ScheduleTimes.first(schedule, now);
    }
    Instant next = there.get(QUEUE_SCHEDULE.NEXT_AT);
    boolean rate = there.get(QUEUE_SCHEDULE.EVERY_MICROS) != null;
    return isSame(schedule, there) ? next : ScheduleTimes.firstInsteadOf(schedule, next, rate, now);
  }

  private static boolean isSame(Schedule schedule, Record there) {
    return Objects.equals(schedule.cron(), there.get(QUEUE_SCHEDULE.CRON))
        && schedule.zone().getId().equals(there.get(QUEUE_SCHEDULE.ZONE))
        && Objects.equals(micros(schedule.every()), there.get(QUEUE_SCHEDULE.EVERY_MICROS));
  }

  private static @Nullable Instant declaredAt(Record there, Author author) {
    return there.get(author == Author.CODE ? JooqScheduleRow.NOW : QUEUE_SCHEDULE.DECLARED_AT);
  }

  private static @Nullable Long micros(@Nullable Duration length) {
    return length == null ? null : length.toNanos() / 1_000;
  }

  @Override
  public boolean reset(String name) {
    return change(Transition.SCHEDULE_SET, name, QUEUE_SCHEDULE.OVERRIDDEN, (byte) 0);
  }

  @Override
  public boolean pause(String name) {
    return change(Transition.SCHEDULE_PAUSE, name, QUEUE_SCHEDULE.PAUSED, (byte) 1);
  }

  @Override
  public boolean resume(String name) {
    return change(Transition.SCHEDULE_RESUME, name, QUEUE_SCHEDULE.PAUSED, (byte) 0);
  }

  private boolean change(Transition transition, String name, Field<Byte> mark, byte value) {
    return transactions.run(transition, tx -> change(tx.dsl(), name, mark, DSL.val(value)));
  }

  /** Drivers count found rows, so 1 means that the row exists, even if the value is unchanged. */
  private static <T> boolean change(
      DSLContext transaction, String name, Field<T> field, Field<T> value) {
    return transaction
            .update(QUEUE_SCHEDULE)
            .set(field, value)
            .where(QUEUE_SCHEDULE.NAME.eq(name))
            .execute()
        > 0;
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
      producer.enqueue(
          tx.connectionForProducers(), JooqScheduleRow.message(row, row.get(JooqScheduleRow.NOW)));
    }
    return row != null;
  }

  @Override
  public List<ScheduleDetails> list(int nextRuns) {
    int checked = checked(nextRuns);
    return transactions.read(
        dsl ->
            rows(dsl)
                .orderBy(QUEUE_SCHEDULE.NAME)
                .fetch(row -> JooqScheduleRow.found(row, checked)));
  }

  @Override
  public Optional<ScheduleDetails> find(String name, int nextRuns) {
    int checked = checked(nextRuns);
    return transactions.read(
        dsl -> Optional.ofNullable(row(dsl, name)).map(row -> JooqScheduleRow.found(row, checked)));
  }

  @Override
  public List<Instant> next(String name, int count) {
    ScheduleDetails found =
        find(name, count)
            .orElseThrow(() -> new RefusedException("there is no schedule '%s'".formatted(name)));
    String fault = found.fault();
    if (fault != null) {
      throw new InvalidScheduleException(fault);
    }
    return found.next();
  }

  private static int checked(int nextRuns) {
    if (nextRuns < 0 || nextRuns > MAX_NEXT_RUNS) {
      throw new IllegalArgumentException(
          "next runs can be listed 0 to %d times, not %d".formatted(MAX_NEXT_RUNS, nextRuns));
    }
    return nextRuns;
  }

  private static SelectJoinStep<Record> rows(DSLContext dsl) {
    return dsl.select(QUEUE_SCHEDULE.fields()).select(JooqScheduleRow.NOW).from(QUEUE_SCHEDULE);
  }

  private static @Nullable Record row(DSLContext dsl, String name) {
    return rows(dsl).where(QUEUE_SCHEDULE.NAME.eq(name)).fetchOne();
  }
}
