package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.List;
import org.jooq.DSLContext;

/**
 * {@code UPDATE ... ORDER BY ... LIMIT n} by the claim key, then a read of just those rows. Needs
 * nothing that an old server lacks, and waits for rows that others hold.
 */
final class JooqUpdateLimit implements Taking {

  /**
   * Tells the rows that this transaction took from those that the worker has held for longer: both
   * carry its lock_id. Nobody else ever sees it, because {@link #keep} clears it before the COMMIT.
   */
  private static final byte JUST_TAKEN = 2;

  @Override
  public List<Taken> take(DSLContext dsl, Want want) {
    int rows =
        JooqTaken.own(dsl.update(JooqMessages.BY_CLAIM_KEY), want.request())
            .set(QUEUE_MESSAGE.STARTED, JUST_TAKEN)
            .where(JooqMessages.available(want.request().topic()))
            .and(want.within())
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .limit(want.limit())
            .execute();
    return rows == 0 ? List.of() : justTaken(dsl, want);
  }

  private static List<Taken> justTaken(DSLContext dsl, Want want) {
    return JooqTaken.afterUpdate(
        want.request(),
        dsl.select(JooqBodies.CLAIM_COLUMNS)
            .from(JooqMessages.BY_CLAIM_KEY)
            .where(QUEUE_MESSAGE.TOPIC.eq(want.request().topic().name()))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.CLAIMED))
            .and(QUEUE_MESSAGE.LOCK_ID.eq(want.request().lockId().value()))
            .and(QUEUE_MESSAGE.STARTED.eq(JUST_TAKEN))
            .and(want.within())
            .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
            .fetch());
  }

  @Override
  public void leave(DSLContext dsl, List<Taken> left) {
    JooqTaken.undo(dsl, left);
  }

  @Override
  public List<Taken> keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {
    if (!kept.isEmpty()) {
      dsl.update(JooqMessages.BY_PRIMARY_KEY)
          .set(QUEUE_MESSAGE.STARTED, (byte) 0)
          .where(JooqMessages.byIds(kept.stream().map(Taken::id)))
          .execute();
    }
    return kept;
  }
}
