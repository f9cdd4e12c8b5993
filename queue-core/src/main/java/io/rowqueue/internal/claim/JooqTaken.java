package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.UpdateSetFirstStep;
import org.jooq.UpdateSetMoreStep;
import org.jooq.impl.DSL;

/** Builds claims from the rows that a strategy takes. */
final class JooqTaken {

  private JooqTaken() {}

  /** The claim of a row that was read before its claim number was raised. */
  static Claim beforeUpdate(ClaimRequest request, ClaimableRow row) {
    return claim(request, row, row.claims() + 1);
  }

  /** The claims of the rows that the worker has taken, in claim order. */
  static List<Claim> afterUpdate(DSLContext dsl, ClaimRequest request, Condition which)
      throws SQLException {
    try (ResultSet rows =
        dsl.select(JooqRows.COLUMNS)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(which)
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .fetchResultSet()) {
      return JooqRows.read(rows).stream().map(row -> claim(request, row, row.claims())).toList();
    }
  }

  private static Claim claim(ClaimRequest request, ClaimableRow row, int number) {
    return new Claim(
        new MessageId(row.id()),
        request.topic(),
        request.lockId(),
        number,
        row.attempts(),
        row.lost(),
        row.dueLater(),
        row.createdAt(),
        row.delay(),
        row.orderingKey(),
        row.batchId(),
        row.body(),
        Claim.Handled.NOT_YET);
  }

  /** Those of {@code offered} that may still be claimed. */
  static Condition stillAvailable(ClaimRequest request, Collection<Candidate> offered) {
    return stillAvailable(request.topic(), offered.stream().map(Candidate::id).sorted().toList());
  }

  /** The same condition with the ids and the topic as parameters. */
  static Condition stillAvailable(Topic topic, List<Long> sortedIds) {
    return QUEUE_MESSAGE.ID.in(sortedIds).and(JooqMessages.available(topic));
  }

  /**
   * The update that claims rows for the worker, without its WHERE; its only parameter is the
   * lock_id.
   */
  static UpdateSetMoreStep<?> own(UpdateSetFirstStep<?> update, String lockId) {
    return update
        .set(QUEUE_MESSAGE.STATE, DSL.inline(MessageState.CLAIMED))
        .set(QUEUE_MESSAGE.LOCK_ID, lockId)
        .set(QUEUE_MESSAGE.CLAIM_NUMBER, QUEUE_MESSAGE.CLAIM_NUMBER.plus(DSL.inline(1)))
        .set(QUEUE_MESSAGE.UPDATED_AT, DatabaseClock.now());
  }
}
