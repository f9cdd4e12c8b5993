package io.rowqueue.operate;

import static io.rowqueue.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.MessageState;
import io.rowqueue.message.MessageId;
import io.rowqueue.operate.FoundMessage.Counts;
import io.rowqueue.operate.FoundMessage.Row;
import io.rowqueue.operate.FoundMessage.StoredBody;
import io.rowqueue.operate.FoundMessage.Verdict;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;

/** Looks for a message in every table that can have it. */
final class JooqFinding {

  private JooqFinding() {}

  /** On one snapshot, or a message that moves meanwhile could be missed. */
  static FoundMessage find(DSLContext dsl, MessageId id) {
    return inQueue(dsl, id)
        .or(() -> amongTheDead(dsl, id))
        .or(() -> inArchive(dsl, id))
        .orElse(new FoundMessage(id, Place.UNKNOWN, null));
  }

  private static Optional<FoundMessage> inQueue(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_MESSAGE)
        .where(QUEUE_MESSAGE.ID.eq(id.value()))
        .fetchOptional(
            row ->
                new FoundMessage(
                    id,
                    place(row.get(QUEUE_MESSAGE.STATE)),
                    new Row(
                        row.get(QUEUE_MESSAGE.TOPIC),
                        row.get(QUEUE_MESSAGE.PRIORITY),
                        new Counts(
                            row.get(QUEUE_MESSAGE.CLAIMS),
                            row.get(QUEUE_MESSAGE.ATTEMPTS),
                            row.get(QUEUE_MESSAGE.LOST)),
                        row.get(QUEUE_MESSAGE.CREATED_AT),
                        row.get(QUEUE_MESSAGE.DUE_AT),
                        row.get(QUEUE_MESSAGE.UPDATED_AT),
                        row.get(QUEUE_MESSAGE.LOCK_ID),
                        null,
                        body(
                            row,
                            QUEUE_MESSAGE.PAYLOAD.getName(),
                            QUEUE_MESSAGE.HEADERS.getName()))));
  }

  private static Place place(byte state) {
    return switch (state) {
      case MessageState.AVAILABLE -> Place.AVAILABLE;
      case MessageState.CLAIMED -> Place.IN_FLIGHT;
      default -> Place.SCHEDULED;
    };
  }

  private static Optional<FoundMessage> amongTheDead(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_DEAD_LETTER)
        .where(QUEUE_DEAD_LETTER.ID.eq(id.value()))
        .fetchOptional(
            row ->
                new FoundMessage(
                    id,
                    Place.DEAD_LETTER,
                    new Row(
                        row.get(QUEUE_DEAD_LETTER.TOPIC),
                        row.get(QUEUE_DEAD_LETTER.PRIORITY),
                        new Counts(
                            row.get(QUEUE_DEAD_LETTER.CLAIMS),
                            row.get(QUEUE_DEAD_LETTER.ATTEMPTS),
                            row.get(QUEUE_DEAD_LETTER.LOST)),
                        row.get(QUEUE_DEAD_LETTER.CREATED_AT),
                        row.get(QUEUE_DEAD_LETTER.DUE_AT),
                        row.get(QUEUE_DEAD_LETTER.DEAD_AT),
                        row.get(QUEUE_DEAD_LETTER.WORKER),
                        new Verdict(
                            row.get(QUEUE_DEAD_LETTER.REASON), row.get(QUEUE_DEAD_LETTER.DETAIL)),
                        body(
                            row,
                            QUEUE_DEAD_LETTER.PAYLOAD.getName(),
                            QUEUE_DEAD_LETTER.HEADERS.getName()))));
  }

  private static Optional<FoundMessage> inArchive(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_ARCHIVE)
        .where(QUEUE_ARCHIVE.ID.eq(id.value()))
        .orderBy(QUEUE_ARCHIVE.SETTLED_DAY.desc())
        .limit(1)
        .fetchOptional(
            row ->
                new FoundMessage(
                    id,
                    Place.ARCHIVED,
                    new Row(
                        row.get(QUEUE_ARCHIVE.TOPIC),
                        row.get(QUEUE_ARCHIVE.PRIORITY),
                        new Counts(
                            row.get(QUEUE_ARCHIVE.CLAIMS),
                            row.get(QUEUE_ARCHIVE.ATTEMPTS),
                            row.get(QUEUE_ARCHIVE.LOST)),
                        row.get(QUEUE_ARCHIVE.CREATED_AT),
                        row.get(QUEUE_ARCHIVE.DUE_AT),
                        row.get(QUEUE_ARCHIVE.SETTLED_AT),
                        row.get(QUEUE_ARCHIVE.WORKER),
                        null,
                        body(
                            row,
                            QUEUE_ARCHIVE.PAYLOAD.getName(),
                            QUEUE_ARCHIVE.HEADERS.getName()))));
  }

  private static StoredBody body(Record row, String payload, String headers) {
    return new StoredBody(row.get(payload, byte[].class), row.get(headers, String.class));
  }
}
