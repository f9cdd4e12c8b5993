package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * {@code UPDATE ... id = LAST_INSERT_ID(id) ... LIMIT 1}: the server remembers for this connection
 * which row was updated. It claims one row at a time, whatever the request's limit.
 */
public final class JooqLastInsertId implements ClaimQuery {

  private static final Field<Long> REMEMBERED_ID =
      DSL.field("LAST_INSERT_ID({0})", Long.class, QUEUE_MESSAGE.ID);
  private static final Field<Long> LAST_ID = DSL.field("LAST_INSERT_ID()", Long.class);

  @Override
  public List<Claim> take(Transaction tx, ClaimRequest request, List<Candidate> offered)
      throws SQLException {
    int rows =
        JooqTaken.own(tx.dsl().update(JooqMessages.BY_PRIMARY_KEY), request.lockId().value())
            .set(QUEUE_MESSAGE.HANDLER_STARTED, (byte) 0)
            .set(QUEUE_MESSAGE.ID, REMEMBERED_ID)
            .where(JooqTaken.stillAvailable(request, offered))
            .orderBy(QUEUE_MESSAGE.ID)
            .limit(1)
            .execute();
    // Without an updated row, the connection still remembers an earlier one.
    return rows == 0
        ? List.of()
        : JooqTaken.afterUpdate(tx.dsl(), request, QUEUE_MESSAGE.ID.eq(LAST_ID));
  }
}
