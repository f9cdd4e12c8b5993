package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_CHUNK;
import static io.rowqueue.internal.table.Tables.QUEUE_PAYLOAD_REF;
import static io.rowqueue.internal.table.Tables.QUEUE_PROGRESS;

import io.rowqueue.MessageId;
import io.rowqueue.internal.body.BodyLocations;
import io.rowqueue.internal.body.JooqBodies;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.FailedAttempt;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jooq.Field;
import org.jooq.Record;
import org.jooq.Record1;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * One message in any table, with its details. The server sends only the beginning of its texts and
 * payload.
 */
final class JooqMessagePage {

  /** The shown part of a payload, in bytes. */
  static final int SHOWN = 65_536;

  private static final int HEADERS_SHOWN = 16_384;
  private static final int TRACE_SHOWN = 16_384;
  private static final int TEXT_SHOWN = 4_096;
  private static final int ATTEMPTS_SHOWN = 100;

  private static final Field<Instant> NOW = DatabaseClock.now().as("read_at");
  private static final Field<Long> SIZE = DSL.field(DSL.name("size"), SQLDataType.BIGINT);
  private static final Field<byte[]> BEGINNING = DSL.field(DSL.name("beginning"), SQLDataType.BLOB);
  private static final Field<String> HEADERS = DSL.field(DSL.name("some"), SQLDataType.CLOB);

  private final Transactions transactions;

  JooqMessagePage(Transactions transactions) {
    this.transactions = transactions;
  }

  /** The table of a message. */
  enum Where {
    /** In {@code queue_message}, in any state. */
    QUEUE,
    /** In {@code queue_dead_letter}. */
    DEAD,
    /** In {@code queue_archive}. */
    ARCHIVE
  }

  /**
   * The columns that all tables have.
   *
   * @param beginning the payload's first bytes, up to {@link #SHOWN}
   * @param size the payload's size in bytes
   * @param headers their beginning; null if it has none
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Found(
      Where where, Record row, byte[] beginning, long size, @Nullable String headers, Instant at) {

    String topic() {
      return row.get(QUEUE_MESSAGE.TOPIC);
    }

    int claims() {
      return row.get(QUEUE_MESSAGE.CLAIM_NUMBER);
    }

    /** The state of a message in the queue. */
    byte state() {
      return row.get(QUEUE_MESSAGE.STATE);
    }

    @Nullable String orderingKey() {
      return row.get(QUEUE_MESSAGE.ORDERING_KEY);
    }

    @Nullable Long batchId() {
      return row.get(QUEUE_MESSAGE.BATCH_ID);
    }

    int priority() {
      return row.get(QUEUE_MESSAGE.PRIORITY);
    }

    int attempts() {
      return row.get(QUEUE_MESSAGE.ATTEMPTS);
    }

    int lostClaims() {
      return row.get(QUEUE_MESSAGE.LOST_CLAIMS);
    }

    Instant createdAt() {
      return row.get(QUEUE_MESSAGE.CREATED_AT);
    }

    /** The table has no due time for messages that have never been promoted. */
    Instant dueAt() {
      Instant due = row.get(QUEUE_MESSAGE.DUE_AT);
      return due.equals(Instant.EPOCH) ? createdAt() : due;
    }

    /** Returns when it was moved to its table, or last changed. */
    Instant since() {
      return switch (where) {
        case QUEUE -> row.get(QUEUE_MESSAGE.UPDATED_AT);
        case DEAD -> row.get(QUEUE_DEAD_LETTER.DEAD_AT);
        case ARCHIVE -> row.get(QUEUE_ARCHIVE.SETTLED_AT);
      };
    }

    /** Returns the current or last worker; may be empty. */
    String worker() {
      return where == Where.QUEUE
          ? row.get(QUEUE_MESSAGE.LOCK_ID)
          : row.get(QUEUE_DEAD_LETTER.WORKER);
    }

    /** Returns the time of an archived message's handler. */
    Duration took() {
      return Duration.of(row.get(QUEUE_ARCHIVE.HANDLING_MICROS), ChronoUnit.MICROS);
    }

    /** Returns a dead letter's reason. */
    String reason() {
      return row.get(QUEUE_DEAD_LETTER.REASON);
    }

    /** Returns the fingerprint of a dead letter's error. */
    long fingerprint() {
      return row.get(QUEUE_DEAD_LETTER.FINGERPRINT);
    }

    /** Returns a dead letter's detail. */
    String detail() {
      return row.get(QUEUE_DEAD_LETTER.DETAIL);
    }
  }

  /** Searches the queue, then the dead letters, then the archive. */
  Optional<Found> find(MessageId id) {
    return inQueue(id).or(() -> dead(id)).or(() -> archived(id));
  }

  private Optional<Found> inQueue(MessageId id) {
    return find(
        Where.QUEUE,
        QUEUE_MESSAGE,
        id,
        QUEUE_MESSAGE.STATE,
        QUEUE_MESSAGE.LOCK_ID,
        QUEUE_MESSAGE.UPDATED_AT);
  }

  /** Searches the dead letters only. */
  Optional<Found> dead(MessageId id) {
    return find(
        Where.DEAD,
        QUEUE_DEAD_LETTER,
        id,
        QUEUE_DEAD_LETTER.WORKER,
        QUEUE_DEAD_LETTER.DEAD_AT,
        QUEUE_DEAD_LETTER.REASON,
        QUEUE_DEAD_LETTER.DETAIL,
        QUEUE_DEAD_LETTER.FINGERPRINT);
  }

  private Optional<Found> archived(MessageId id) {
    return find(
        Where.ARCHIVE,
        QUEUE_ARCHIVE,
        id,
        QUEUE_ARCHIVE.WORKER,
        QUEUE_ARCHIVE.SETTLED_AT,
        QUEUE_ARCHIVE.HANDLING_MICROS);
  }

  private Optional<Found> find(Where where, Table<?> table, MessageId id, Field<?>... own) {
    List<Field<?>> fields = new ArrayList<>(List.of(own));
    for (Field<?> shared :
        List.of(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.PRIORITY,
            QUEUE_MESSAGE.CLAIM_NUMBER,
            QUEUE_MESSAGE.ATTEMPTS,
            QUEUE_MESSAGE.LOST_CLAIMS,
            QUEUE_MESSAGE.CREATED_AT,
            QUEUE_MESSAGE.DUE_AT,
            QUEUE_MESSAGE.ORDERING_KEY,
            QUEUE_MESSAGE.BATCH_ID)) {
      fields.add(in(table, shared));
    }
    Field<byte[]> payload = in(table, QUEUE_MESSAGE.PAYLOAD);
    Field<String> headers = in(table, QUEUE_MESSAGE.HEADERS);
    fields.add(DSL.field("OCTET_LENGTH({0})", SQLDataType.BIGINT, payload).as(SIZE));
    fields.add(
        DSL.field("LEFT({0}, {1})", SQLDataType.BLOB, payload, DSL.inline(SHOWN)).as(BEGINNING));
    fields.add(
        DSL.field("LEFT({0}, {1})", SQLDataType.CLOB, headers, DSL.inline(HEADERS_SHOWN))
            .as(HEADERS));
    fields.add(NOW);
    return transactions.read(
        dsl ->
            dsl.select(fields)
                .from(table)
                .where(in(table, QUEUE_MESSAGE.ID).eq(id.value()))
                .limit(1)
                .fetchOptional(
                    row ->
                        new Found(
                            where,
                            row,
                            row.get(BEGINNING),
                            row.get(SIZE),
                            row.get(HEADERS),
                            row.get(NOW))));
  }

  /** Columns with equal names and types in all three tables. */
  private static <T> Field<T> in(Table<?> table, Field<T> shared) {
    Field<T> own = table.field(shared);
    if (own == null) {
      throw new IllegalStateException(table.getName() + " has no " + shared.getName());
    }
    return own;
  }

  /** Returns its failed attempts in order; only the last ones if there are many. */
  List<FailedAttempt> attempts(MessageId id) {
    Field<String> message = beginning(QUEUE_ATTEMPT.ERROR_MESSAGE, TEXT_SHOWN, "m");
    Field<String> trace = beginning(QUEUE_ATTEMPT.ERROR_TRACE, TRACE_SHOWN, "t");
    List<FailedAttempt> attempts =
        transactions.read(
            dsl ->
                dsl.select(
                        QUEUE_ATTEMPT.ATTEMPT,
                        QUEUE_ATTEMPT.CLAIM_NUMBER,
                        QUEUE_ATTEMPT.WORKER,
                        QUEUE_ATTEMPT.FAILED_AT,
                        QUEUE_ATTEMPT.ERROR_CLASS,
                        message,
                        trace)
                    .from(QUEUE_ATTEMPT)
                    .where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value()))
                    .orderBy(QUEUE_ATTEMPT.CLAIM_NUMBER.desc())
                    .limit(ATTEMPTS_SHOWN)
                    .fetch(
                        row ->
                            new FailedAttempt(
                                row.value1(),
                                row.value2(),
                                row.value3(),
                                row.value4(),
                                row.value5(),
                                row.value6(),
                                row.value7())));
    java.util.Collections.reverse(attempts);
    return attempts;
  }

  private static Field<String> beginning(Field<String> text, int most, String name) {
    return DSL.field("LEFT({0}, {1})", SQLDataType.CLOB, text, DSL.inline(most)).as(DSL.name(name));
  }

  /** The first chunk of a separately stored payload, and the number of chunks. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Chunks(int count, byte[] beginning) {}

  /** Returns null if there is none. */
  @Nullable Chunks chunks(MessageId id) {
    Field<byte[]> some =
        DSL.field("LEFT({0}, {1})", SQLDataType.BLOB, QUEUE_PAYLOAD_CHUNK.BYTES, DSL.inline(SHOWN))
            .as(BEGINNING);
    return transactions.read(
        dsl -> {
          Integer last =
              dsl.select(QUEUE_PAYLOAD_CHUNK.SEQ)
                  .from(QUEUE_PAYLOAD_CHUNK)
                  .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.eq(id.value()))
                  .orderBy(QUEUE_PAYLOAD_CHUNK.SEQ.desc())
                  .limit(1)
                  .fetchOne(QUEUE_PAYLOAD_CHUNK.SEQ);
          return last == null
              ? null
              : dsl.select(some)
                  .from(QUEUE_PAYLOAD_CHUNK)
                  .where(QUEUE_PAYLOAD_CHUNK.MESSAGE_ID.eq(id.value()))
                  .orderBy(QUEUE_PAYLOAD_CHUNK.SEQ)
                  .limit(1)
                  .fetchOne(row -> new Chunks(last + 1, row.value1()));
        });
  }

  /**
   * Returns the whole payload that is stored in chunks.
   *
   * @throws io.rowqueue.InvalidMessageException if it has more than {@code most} bytes
   */
  byte[] chunks(MessageId id, int most) {
    return new JooqBodies(transactions, Set.of()).find(id, BodyLocations.ROWS).read(most);
  }

  /**
   * Returns the whole payload of a message's row.
   *
   * @throws Refusal if it is no longer there
   */
  byte[] payload(Found found, MessageId id) {
    if (found.size() <= SHOWN) {
      return found.beginning();
    }
    Table<?> table = table(found.where());
    return transactions.read(
        dsl ->
            dsl.select(in(table, QUEUE_MESSAGE.PAYLOAD))
                .from(table)
                .where(in(table, QUEUE_MESSAGE.ID).eq(id.value()))
                .fetchOptional(Record1::value1)
                .orElseThrow(() -> new Refusal(409, "The message has changed. Open it again.")));
  }

  private static Table<?> table(Where where) {
    return switch (where) {
      case QUEUE -> QUEUE_MESSAGE;
      case DEAD -> QUEUE_DEAD_LETTER;
      case ARCHIVE -> QUEUE_ARCHIVE;
    };
  }

  /** Describes the location of an external payload; null if no row has it. */
  @Nullable String stored(MessageId id) {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_PAYLOAD_REF.STORE, QUEUE_PAYLOAD_REF.REFERENCE, QUEUE_PAYLOAD_REF.BYTES)
                .from(QUEUE_PAYLOAD_REF)
                .where(QUEUE_PAYLOAD_REF.MESSAGE_ID.eq(id.value()))
                .fetchOne(
                    row ->
                        "%s in the store %s, under %s"
                            .formatted(Texts.bytes(row.value3()), row.value1(), row.value2())));
  }

  /** Formats the latest progress of the current claim; null if none was reported. */
  @Nullable String progress(MessageId id, int claims) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_PROGRESS.DONE, QUEUE_PROGRESS.TOTAL, QUEUE_PROGRESS.NOTE)
                .from(QUEUE_PROGRESS)
                .where(QUEUE_PROGRESS.MESSAGE_ID.eq(id.value()))
                .and(QUEUE_PROGRESS.CLAIM_NUMBER.eq(claims))
                .fetchOne(
                    row ->
                        Texts.number(row.value1())
                            + (row.value2() == null ? "" : " of " + Texts.number(row.value2()))
                            + (row.value3().isEmpty() ? "" : ": " + row.value3())));
  }

  /** Who requested a cancellation, and when. */
  record CancelRequest(Instant at, String by) {}

  /** Returns null if its cancellation was not requested. */
  @Nullable CancelRequest cancelRequest(MessageId id) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_CANCEL_REQUEST.REQUESTED_AT, QUEUE_CANCEL_REQUEST.REQUESTED_BY)
                .from(QUEUE_CANCEL_REQUEST)
                .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id.value()))
                .fetchOne(row -> new CancelRequest(row.value1(), row.value2())));
  }
}
