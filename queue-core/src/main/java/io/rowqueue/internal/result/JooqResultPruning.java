package io.rowqueue.internal.result;

import static io.rowqueue.internal.table.Tables.QUEUE_RESULT;
import static io.rowqueue.internal.table.Tables.QUEUE_RESULT_LISTENER;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import org.jooq.Condition;
import org.jooq.DSLContext;

/** Reads ids first, without locks: a query that finds nothing costs no transaction. */
public final class JooqResultPruning implements ResultPruning {

  /**
   * A live process renews its row long before, and nothing would receive a notification for a
   * process that is gone.
   */
  private static final Condition GONE =
      QUEUE_RESULT_LISTENER.LEASE_UNTIL.lt(DatabaseClock.before(Duration.ofHours(1)));

  private static final Condition EXPIRED = QUEUE_RESULT.EXPIRES_AT.lt(DatabaseClock.now());

  private final Transactions transactions;
  private final Pruning<Long> results;
  private final Pruning<String> listeners;

  public JooqResultPruning(Transactions transactions) {
    this.transactions = transactions;
    this.results = new Pruning<>(transactions, Transition.PRUNE_RESULTS, QUEUE_RESULT.MESSAGE_ID);
    this.listeners =
        new Pruning<>(transactions, Transition.PRUNE_RESULTS, QUEUE_RESULT_LISTENER.LISTENER);
  }

  @Override
  public int prune(int limit) {
    List<IntSupplier> both =
        List.of(
            () -> results.delete(transactions.read(dsl -> expired(dsl, limit)), EXPIRED),
            () -> {
              var unused = listeners.delete(transactions.read(dsl -> gone(dsl, limit)), GONE);
              return 0;
            });
    return IndependentParts.sum(both, IntSupplier::getAsInt);
  }

  private List<String> gone(DSLContext dsl, int limit) {
    return dsl.select(QUEUE_RESULT_LISTENER.LISTENER)
        .from(QUEUE_RESULT_LISTENER)
        .where(GONE)
        .and(listeners.others())
        .orderBy(QUEUE_RESULT_LISTENER.LISTENER)
        .limit(limit)
        .fetch(QUEUE_RESULT_LISTENER.LISTENER);
  }

  private List<Long> expired(DSLContext dsl, int limit) {
    return dsl
        .select(QUEUE_RESULT.MESSAGE_ID)
        .from(QUEUE_RESULT.forceIndex("queue_result_by_time"))
        .where(EXPIRED)
        .and(results.others())
        .orderBy(QUEUE_RESULT.EXPIRES_AT)
        .limit(limit)
        .fetch(QUEUE_RESULT.MESSAGE_ID)
        .stream()
        .sorted()
        .toList();
  }
}
