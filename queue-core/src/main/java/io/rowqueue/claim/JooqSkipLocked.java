package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;

/**
 * A read by the claim key without locks, {@code SELECT ... FOR UPDATE SKIP LOCKED} by primary key
 * of what it found, and an update of what could be locked: the default.
 *
 * <p>One statement that reads by the claim key and locks would save a round trip. It also locks
 * drained rows that are not purged yet, in an order that two claims need not share; and since
 * MariaDB 11.4 queues for a lock for a moment before it skips it, two of them deadlocked.
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
            .fetch());
  }

  /** It was only read. */
  @Override
  public void leave(DSLContext dsl, List<Taken> left) {}

  @Override
  public List<Taken> keep(DSLContext dsl, ClaimRequest request, List<Taken> kept) {
    List<Taken> locked = locked(dsl, kept);
    if (!locked.isEmpty()) {
      JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request)
          .set(QUEUE_MESSAGE.STARTED, (byte) 0)
          .where(JooqMessages.byIds(locked.stream().map(Taken::id)))
          .execute();
    }
    return locked;
  }

  /** Those that are still as they were read. */
  private static List<Taken> locked(DSLContext dsl, List<Taken> kept) {
    if (kept.isEmpty()) {
      return kept;
    }
    Map<Long, Integer> claims =
        dsl.select(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.CLAIMS)
            .from(JooqMessages.BY_PRIMARY_KEY)
            .where(JooqMessages.byIds(kept.stream().map(Taken::id)))
            .and(QUEUE_MESSAGE.STATE.eq(MessageState.AVAILABLE))
            .forUpdate()
            .skipLocked()
            .fetchMap(QUEUE_MESSAGE.ID, QUEUE_MESSAGE.CLAIMS);
    return kept.stream()
        .filter(one -> claims.getOrDefault(one.id(), -1) + 1 == one.claim().number())
        .toList();
  }
}
