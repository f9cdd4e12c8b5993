package io.rowqueue.claim;

import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import java.util.Comparator;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Result;

/**
 * {@code SELECT ... FOR UPDATE SKIP LOCKED} by primary key, then an update of what could be locked:
 * the default.
 *
 * <p>One statement that reads by the claim key and locks would save a round trip. It also locks
 * drained rows that are not purged yet, in an order that two claims need not share; and since
 * MariaDB 11.4 queues for a lock for a moment before it skips it, two of them deadlocked.
 */
final class JooqSkipLocked implements Taking {

  private static final Comparator<Record> CLAIM_ORDER =
      Comparator.<Record, Byte>comparing(row -> row.get(QUEUE_MESSAGE.PRIORITY))
          .thenComparing(row -> row.get(QUEUE_MESSAGE.ID));

  /** What it locks and does not take is free again with the COMMIT. */
  @Override
  public boolean chooses() {
    return true;
  }

  @Override
  public List<Claim> take(DSLContext dsl, ClaimRequest request, List<Candidate> offered) {
    List<Record> locked = locked(dsl, request, offered).stream().sorted(CLAIM_ORDER).toList();
    List<Record> kept = Picks.of(request, locked, row -> row.get(QUEUE_MESSAGE.LOST)).kept();
    if (!kept.isEmpty()) {
      JooqTaken.own(dsl.update(JooqMessages.BY_PRIMARY_KEY), request)
          .set(QUEUE_MESSAGE.STARTED, (byte) 0)
          .where(JooqMessages.byIds(kept.stream().map(row -> row.get(QUEUE_MESSAGE.ID))))
          .execute();
    }
    return kept.stream().map(row -> JooqTaken.beforeUpdate(request, row)).toList();
  }

  private static Result<Record> locked(
      DSLContext dsl, ClaimRequest request, List<Candidate> offered) {
    return dsl.select(JooqBodies.CLAIM_COLUMNS)
        .from(JooqMessages.BY_PRIMARY_KEY)
        .where(JooqTaken.stillAvailable(request, offered))
        .forUpdate()
        .skipLocked()
        .fetch();
  }
}
