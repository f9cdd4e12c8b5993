package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_CANCEL_REQUEST;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_PROGRESS;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.operate.CancelRequest;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.Cause;
import io.rowqueue.operate.MessageDetails.Counts;
import io.rowqueue.operate.MessageDetails.Row;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.MessageProgress;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/**
 * Finds a message in every table that may hold it. Columns that these tables have in common are
 * named and typed as in {@code queue_message}, and jOOQ finds them by name.
 */
public final class JooqFinding {

  private JooqFinding() {}

  /** Requires a snapshot; otherwise it may miss a message that moves to another table. */
  static MessageDetails find(DSLContext dsl, MessageId id) {
    return inQueue(dsl, id)
        .or(() -> amongTheDead(dsl, id))
        .or(() -> inArchive(dsl, id))
        .orElse(new MessageDetails(id, MessageLocation.UNKNOWN, null, List.of()));
  }

  private static Optional<MessageDetails> inQueue(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_MESSAGE)
        .where(QUEUE_MESSAGE.ID.eq(id.value()))
        .fetchOptional(
            found ->
                new MessageDetails(
                    id,
                    place(found.get(QUEUE_MESSAGE.STATE)),
                    row(
                        found,
                        found.get(QUEUE_MESSAGE.UPDATED_AT),
                        found.get(QUEUE_MESSAGE.LOCK_ID),
                        null),
                    failures(dsl, id),
                    progress(dsl, id, found),
                    cancelRequest(dsl, id)));
  }

  /** Ignores progress of earlier claims, because it is obsolete. */
  private static @Nullable MessageProgress progress(DSLContext dsl, MessageId id, Record found) {
    if (found.get(QUEUE_MESSAGE.STATE) != MessageState.CLAIMED) {
      return null;
    }
    return dsl.selectFrom(QUEUE_PROGRESS)
        .where(QUEUE_PROGRESS.MESSAGE_ID.eq(id.value()))
        .and(QUEUE_PROGRESS.CLAIM_NUMBER.eq(found.get(QUEUE_MESSAGE.CLAIM_NUMBER)))
        .fetchOne(
            row ->
                new MessageProgress(
                    row.get(QUEUE_PROGRESS.DONE),
                    row.get(QUEUE_PROGRESS.TOTAL),
                    row.get(QUEUE_PROGRESS.NOTE),
                    row.get(QUEUE_PROGRESS.UPDATED_AT)));
  }

  private static @Nullable CancelRequest cancelRequest(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_CANCEL_REQUEST)
        .where(QUEUE_CANCEL_REQUEST.MESSAGE_ID.eq(id.value()))
        .fetchOne(
            row ->
                new CancelRequest(
                    row.get(QUEUE_CANCEL_REQUEST.REQUESTED_AT),
                    row.get(QUEUE_CANCEL_REQUEST.REQUESTED_BY)));
  }

  private static List<FailedAttempt> failures(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_ATTEMPT)
        .where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value()))
        .orderBy(QUEUE_ATTEMPT.CLAIM_NUMBER)
        .fetch(
            row ->
                new FailedAttempt(
                    row.get(QUEUE_ATTEMPT.ATTEMPT),
                    row.get(QUEUE_ATTEMPT.CLAIM_NUMBER),
                    row.get(QUEUE_ATTEMPT.WORKER),
                    row.get(QUEUE_ATTEMPT.FAILED_AT),
                    row.get(QUEUE_ATTEMPT.ERROR_CLASS),
                    row.get(QUEUE_ATTEMPT.ERROR_MESSAGE),
                    row.get(QUEUE_ATTEMPT.ERROR_TRACE)));
  }

  public static MessageLocation place(byte state) {
    return switch (state) {
      case MessageState.AVAILABLE -> MessageLocation.AVAILABLE;
      case MessageState.CLAIMED -> MessageLocation.IN_FLIGHT;
      case MessageState.BLOCKED, MessageState.ARRIVING -> MessageLocation.BLOCKED;
      default -> MessageLocation.SCHEDULED;
    };
  }

  private static Optional<MessageDetails> amongTheDead(DSLContext dsl, MessageId id) {
    return dead(dsl, List.of(id)).stream().findFirst();
  }

  /** The dead letters among {@code ids}, in their order, without their failed attempts. */
  static List<MessageDetails> dead(DSLContext dsl, Collection<MessageId> ids) {
    return dsl.selectFrom(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .where(QUEUE_DEAD_LETTER.ID.in(ids.stream().map(MessageId::value).toList()))
        .orderBy(QUEUE_DEAD_LETTER.ID)
        .fetch(
            found ->
                new MessageDetails(
                    new MessageId(found.get(QUEUE_DEAD_LETTER.ID)),
                    MessageLocation.DEAD_LETTER,
                    row(
                        found,
                        found.get(QUEUE_DEAD_LETTER.DEAD_AT),
                        found.get(QUEUE_DEAD_LETTER.WORKER),
                        new Cause(
                            found.get(QUEUE_DEAD_LETTER.REASON),
                            found.get(QUEUE_DEAD_LETTER.DETAIL))),
                    List.of()));
  }

  private static Optional<MessageDetails> inArchive(DSLContext dsl, MessageId id) {
    return dsl.selectFrom(QUEUE_ARCHIVE)
        .where(QUEUE_ARCHIVE.ID.eq(id.value()))
        .orderBy(QUEUE_ARCHIVE.SETTLED_DAY.desc())
        .limit(1)
        .fetchOptional(
            found ->
                new MessageDetails(
                    id,
                    MessageLocation.ARCHIVED,
                    row(
                        found,
                        found.get(QUEUE_ARCHIVE.SETTLED_AT),
                        found.get(QUEUE_ARCHIVE.WORKER),
                        null),
                    List.of()));
  }

  /** Until a message has joined its ordering group, its due time is stored as the epoch. */
  public static Instant due(Instant due, Instant created) {
    return due.equals(Instant.EPOCH) ? created : due;
  }

  private static Row row(Record found, Instant since, String worker, @Nullable Cause cause) {
    return new Row(
        found.get(QUEUE_MESSAGE.TOPIC),
        found.get(QUEUE_MESSAGE.PRIORITY),
        new Counts(
            found.get(QUEUE_MESSAGE.CLAIM_NUMBER),
            found.get(QUEUE_MESSAGE.ATTEMPTS),
            found.get(QUEUE_MESSAGE.LOST_CLAIMS)),
        found.get(QUEUE_MESSAGE.CREATED_AT),
        due(found.get(QUEUE_MESSAGE.DUE_AT), found.get(QUEUE_MESSAGE.CREATED_AT)),
        since,
        worker,
        cause,
        found.get(QUEUE_MESSAGE.ORDERING_KEY),
        new StoredBody(found.get(QUEUE_MESSAGE.PAYLOAD), found.get(QUEUE_MESSAGE.HEADERS)));
  }
}
