package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.database.DatabaseClock;
import io.rowqueue.message.MessageId;
import java.util.Collection;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.UpdateSetFirstStep;
import org.jooq.UpdateSetMoreStep;

/** What strategies do with rows that they take. */
final class JooqTaken {

  private JooqTaken() {}

  /** The claim of a row that was read before its claim number was raised. */
  static Claim beforeUpdate(ClaimRequest request, Record row) {
    return claim(request, row, row.get(QUEUE_MESSAGE.CLAIMS) + 1);
  }

  /** The claims of rows that the worker has taken, in claim order. */
  static List<Claim> afterUpdate(DSLContext dsl, ClaimRequest request, Condition which) {
    return dsl.select(JooqBodies.CLAIM_COLUMNS)
        .from(JooqMessages.BY_PRIMARY_KEY)
        .where(which)
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .fetch(row -> claim(request, row, row.get(QUEUE_MESSAGE.CLAIMS)));
  }

  private static Claim claim(ClaimRequest request, Record row, int number) {
    return new Claim(
        new MessageId(row.get(QUEUE_MESSAGE.ID)),
        request.topic(),
        request.lockId(),
        number,
        row.get(QUEUE_MESSAGE.ATTEMPTS),
        row.get(QUEUE_MESSAGE.LOST),
        row.get(JooqBodies.DUE_LATER),
        row.get(QUEUE_MESSAGE.CREATED_AT),
        JooqBodies.inline(row));
  }

  /** Which of {@code offered} may still be claimed. */
  static Condition stillAvailable(ClaimRequest request, Collection<Candidate> offered) {
    return JooqMessages.byIds(offered.stream().map(Candidate::id))
        .and(JooqMessages.available(request.topic()));
  }

  /** The update that makes rows the worker's, but for its WHERE. */
  static UpdateSetMoreStep<?> own(UpdateSetFirstStep<?> update, ClaimRequest request) {
    return update
        .set(QUEUE_MESSAGE.STATE, MessageState.CLAIMED)
        .set(QUEUE_MESSAGE.LOCK_ID, request.lockId().value())
        .set(QUEUE_MESSAGE.CLAIMS, QUEUE_MESSAGE.CLAIMS.plus(1))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now());
  }
}
