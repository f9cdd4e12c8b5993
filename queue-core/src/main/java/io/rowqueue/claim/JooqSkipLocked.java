package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.List;
import org.jooq.DSLContext;

/**
 * {@code SELECT ... FOR UPDATE SKIP LOCKED} by the claim key, then an update by primary key: the
 * default.
 */
final class JooqSkipLocked implements Taking {

  @Override
  public List<Taken> take(DSLContext dsl, Want want) {
    return JooqTaken.beforeUpdate(
        want.request(),
        dsl.select(JooqBodies.CLAIM_COLUMNS)
            .from(JooqMessages.BY_CLAIM_KEY)
            .where(JooqMessages.available(want.request().topic()))
            .and(want.within())
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .limit(want.limit())
            .forUpdate()
            .skipLocked()
            .fetch());
  }

  /** Only a lock was taken, and it goes with the COMMIT. */
  @Override
  public void leave(DSLContext dsl, List<Taken> left) {}

  @Override
  public void keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {
    if (kept.isEmpty()) {
      return;
    }
    JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request)
        .set(QUEUE_MESSAGE.STARTED, (byte) 0)
        .where(JooqMessages.byIds(kept.stream().map(Taken::id)))
        .execute();
  }
}
