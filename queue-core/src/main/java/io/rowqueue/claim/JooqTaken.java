package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.message.MessageId;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;
import org.jooq.UpdateSetFirstStep;
import org.jooq.UpdateSetMoreStep;

/** What strategies do with rows that they take. */
final class JooqTaken {

  private JooqTaken() {}

  /** Rows that were read before their claim number was raised. */
  static List<Taken> beforeUpdate(ClaimRequest request, Result<? extends Record> rows) {
    return rows.map(row -> taken(request, row, row.get(QUEUE_MESSAGE.CLAIMS) + 1));
  }

  /** Rows that were read after it. */
  static List<Taken> afterUpdate(ClaimRequest request, Result<? extends Record> rows) {
    return rows.map(row -> taken(request, row, row.get(QUEUE_MESSAGE.CLAIMS)));
  }

  private static Taken taken(ClaimRequest request, Record row, int number) {
    Claim claim =
        new Claim(
            new MessageId(row.get(QUEUE_MESSAGE.ID)),
            request.topic(),
            request.lockId(),
            number,
            row.get(QUEUE_MESSAGE.ATTEMPTS),
            row.get(QUEUE_MESSAGE.LOST),
            row.get(JooqBodies.DUE_LATER),
            row.get(QUEUE_MESSAGE.CREATED_AT),
            JooqBodies.inline(row));
    return new Taken(claim, row.get(QUEUE_MESSAGE.PRIORITY));
  }

  /** The update that makes rows the worker's, but for its WHERE. */
  static UpdateSetMoreStep<?> own(UpdateSetFirstStep<?> update, ClaimRequest request) {
    return update
        .set(QUEUE_MESSAGE.STATE, MessageState.CLAIMED)
        .set(QUEUE_MESSAGE.LOCK_ID, request.lockId().value())
        .set(QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.CLAIMS.plus(1))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now());
  }

  /**
   * As if the update had never been: the claim number goes back too, which only this transaction
   * has seen.
   */
  static void undo(DSLContext dsl, List<Taken> left) {
    dsl.update(JooqMessages.BY_PRIMARY_KEY)
        .set(QUEUE_MESSAGE.STATE, MessageState.AVAILABLE)
        .set(QUEUE_MESSAGE.LOCK_ID, "")
        .set(QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.CLAIMS.minus(1))
        .set(QUEUE_MESSAGE.STARTED, (byte) 0)
        .where(JooqMessages.byIds(left.stream().map(Taken::id)))
        .execute();
  }
}
