package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * {@code UPDATE ... id = LAST_INSERT_ID(id) ... LIMIT 1}: the server remembers for this connection
 * which row it was. One row at a time, whatever is asked for.
 */
final class JooqLastInsertId implements Taking {

  private static final Field<Long> REMEMBERED_ID =
      DSL.field("LAST_INSERT_ID({0})", Long.class, QUEUE_MESSAGE.ID);
  private static final Field<Long> LAST_ID = DSL.field("LAST_INSERT_ID()", Long.class);

  @Override
  public List<Taken> take(DSLContext dsl, Want want) {
    int rows =
        JooqTaken.own(dsl.update(JooqMessages.BY_CLAIM_KEY), want.request())
            .set(QUEUE_MESSAGE.STARTED, (byte) 0)
            .set(QUEUE_MESSAGE.ID, REMEMBERED_ID)
            .where(JooqMessages.available(want.request().topic()))
            .and(want.within())
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .limit(1)
            .execute();
    if (rows == 0) {
      // What the connection remembers then is an earlier row.
      return List.of();
    }
    return JooqTaken.afterUpdate(
        want.request(),
        dsl.select(JooqBodies.CLAIM_COLUMNS)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(QUEUE_MESSAGE.ID.eq(LAST_ID))
            .fetch());
  }

  @Override
  public void leave(DSLContext dsl, List<Taken> left) {
    JooqTaken.undo(dsl, left);
  }

  @Override
  public List<Taken> keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {
    return kept;
  }
}
