package io.rowqueue.internal.result;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT_LISTENER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.table.tables.QueueResult;
import io.rowqueue.internal.table.tables.QueueResultListener;
import java.time.Duration;
import java.util.List;
import org.jooq.DSLContext;

/** Reads ids first, without locks: a query that finds nothing costs no transaction. */
public final class JooqResultPruning implements ResultPruning {

  /**
   * A live process renews its row long before, and nothing would receive a notification for a
   * process that is gone.
   */
  private static final Duration WAITER_GONE = Duration.ofHours(1);

  private final Transactions transactions;

  public JooqResultPruning(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public int prune(int limit) {
    List<String> waiters = transactions.read(dsl -> goneWaiters(dsl, limit));
    if (!waiters.isEmpty()) {
      QueueResultListener w = QUEUE_RESULT_LISTENER.as(PrimaryKeyDelete.ALIAS);
      transactions.run(
          Transition.PRUNE_RESULTS,
          tx ->
              PrimaryKeyDelete.run(
                  tx.dsl(),
                  QUEUE_RESULT_LISTENER,
                  w.LISTENER.in(waiters).and(w.LEASE_UNTIL.lt(DatabaseClock.before(WAITER_GONE)))));
    }
    List<Long> ids = transactions.read(dsl -> expired(dsl, limit));
    if (ids.isEmpty()) {
      return 0;
    }
    QueueResult r = QUEUE_RESULT.as(PrimaryKeyDelete.ALIAS);
    return transactions.run(
        Transition.PRUNE_RESULTS,
        tx ->
            PrimaryKeyDelete.run(
                tx.dsl(),
                QUEUE_RESULT,
                r.MESSAGE_ID.in(ids).and(r.EXPIRES_AT.lt(DatabaseClock.now()))));
  }

  private static List<String> goneWaiters(DSLContext dsl, int limit) {
    return dsl.select(QUEUE_RESULT_LISTENER.LISTENER)
        .from(QUEUE_RESULT_LISTENER)
        .where(QUEUE_RESULT_LISTENER.LEASE_UNTIL.lt(DatabaseClock.before(WAITER_GONE)))
        .orderBy(QUEUE_RESULT_LISTENER.LISTENER)
        .limit(limit)
        .fetch(QUEUE_RESULT_LISTENER.LISTENER);
  }

  private static List<Long> expired(DSLContext dsl, int limit) {
    return dsl
        .select(QUEUE_RESULT.MESSAGE_ID)
        .from(QUEUE_RESULT.forceIndex("queue_result_by_time"))
        .where(QUEUE_RESULT.EXPIRES_AT.lt(DatabaseClock.now()))
        .orderBy(QUEUE_RESULT.EXPIRES_AT)
        .limit(limit)
        .fetch(QUEUE_RESULT.MESSAGE_ID)
        .stream()
        .sorted()
        .toList();
  }
}
