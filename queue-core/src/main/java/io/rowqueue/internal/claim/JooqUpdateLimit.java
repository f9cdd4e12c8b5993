package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;

/**
 * {@code UPDATE ... ORDER BY ... LIMIT n} by primary key, then a read of exactly those rows. Runs
 * on old servers, too, and waits for rows that other transactions have locked.
 */
public final class JooqUpdateLimit implements ClaimQuery {

  /**
   * Distinguishes the rows that this transaction took from those that another thread of the worker
   * has just taken: both carry its lock_id. No other transaction ever sees it, because it is
   * cleared before the COMMIT.
   */
  private static final byte JUST_TAKEN = 2;

  @Override
  public List<Claim> take(Transaction tx, ClaimRequest request, List<Candidate> offered)
      throws SQLException {
    DSLContext dsl = tx.dsl();
    int rows =
        JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request.lockId().value())
            .set(QUEUE_MESSAGE.HANDLER_STARTED, JUST_TAKEN)
            .where(JooqTaken.stillAvailable(request, offered))
            .orderBy(QUEUE_MESSAGE.ID)
            .limit(request.limit())
            .execute();
    return rows == 0 ? List.of() : justTaken(dsl, request, offered);
  }

  private static List<Claim> justTaken(
      DSLContext dsl, ClaimRequest request, List<Candidate> offered) throws SQLException {
    Condition just =
        JooqMessages.byIds(offered.stream().map(Candidate::id))
            .and(QUEUE_MESSAGE.LOCK_ID.eq(request.lockId().value()))
            .and(QUEUE_MESSAGE.HANDLER_STARTED.eq(JUST_TAKEN));
    List<Claim> claims = JooqTaken.afterUpdate(dsl, request, just);
    dsl.update(JooqMessages.BY_PRIMARY_KEY)
        .set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 0)
        .where(JooqMessages.byIds(claims.stream().map(claim -> claim.id().value())))
        .execute();
    return claims;
  }
}
