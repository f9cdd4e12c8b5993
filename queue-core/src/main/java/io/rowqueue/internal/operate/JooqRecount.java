package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageBatch;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/**
 * Counts the open members of a batch while its shards are locked. Transactions that settle or add
 * members lock the shards as well, so the counting reads, which take no locks, see each of them as
 * a whole or not at all.
 */
final class JooqRecount {

  private final Transaction transaction;
  private final DSLContext dsl;
  private final MessageBatch batch;

  JooqRecount(Transaction transaction, MessageBatch batch) {
    this.transaction = transaction;
    this.dsl = transaction.dsl();
    this.batch = batch;
  }

  /** Corrects the shards; returns how many were wrong. */
  int run() throws SQLException {
    List<Record> shards =
        dsl.selectFrom(QUEUE_BATCH_SHARD.forceIndex("PRIMARY"))
            .where(QUEUE_BATCH_SHARD.ID.in(ids()))
            .orderBy(QUEUE_BATCH_SHARD.ID)
            .forUpdate()
            .fetch();
    boolean sealed =
        dsl.select(QUEUE_BATCH.CLOSED)
                .from(QUEUE_BATCH)
                .where(QUEUE_BATCH.ID.eq(batch.id()))
                .fetchSingle()
                .value1()
            == 1;
    Map<Long, Integer> members = new HashMap<>();
    count(QUEUE_MESSAGE, QUEUE_MESSAGE.BATCH_ID, DSL.noCondition(), members);
    count(QUEUE_BATCH, QUEUE_BATCH.PARENT_SHARD, QUEUE_BATCH.COMPLETED_AT.isNull(), members);
    // A chain that has stopped at a dead letter is settled or open as the dead letter itself.
    Condition standsStill =
        ExistsCondition.of(
            DSL.selectOne()
                .from(QUEUE_DEAD_LETTER)
                .where(QUEUE_DEAD_LETTER.ID.eq(QUEUE_CHAIN.MESSAGE_ID)));
    count(QUEUE_CHAIN, QUEUE_CHAIN.BATCH_ID, DSL.not(standsStill), members);
    Map<Long, Integer> dead = new HashMap<>();
    count(QUEUE_CHAIN, QUEUE_CHAIN.BATCH_ID, standsStill, dead);
    count(QUEUE_DEAD_LETTER, QUEUE_DEAD_LETTER.BATCH_ID, DSL.noCondition(), dead);
    BatchCounters counted = BatchCounters.in(transaction.connection(), transaction.afterCommit());
    int wrong = 0;
    for (Record shard : shards) {
      int held =
          shard.get(QUEUE_BATCH_SHARD.WAITS_FOR_DEAD) == 1
              ? dead.getOrDefault(shard.get(QUEUE_BATCH_SHARD.ID), 0)
              : 0;
      int open = members.getOrDefault(shard.get(QUEUE_BATCH_SHARD.ID), 0) + held + (sealed ? 0 : 1);
      int missing = shard.get(QUEUE_BATCH_SHARD.OPEN_MEMBERS) - open;
      if (missing != 0) {
        counted.corrected(shard.get(QUEUE_BATCH_SHARD.ID), missing);
        wrong++;
      }
    }
    counted.write();
    return wrong;
  }

  private List<Long> ids() {
    return CounterShard.all(batch.id(), batch.shards());
  }

  private void count(
      Table<?> table, TableField<?, Long> shard, Condition which, Map<Long, Integer> counts) {
    dsl.select(shard, DSL.count())
        .from(table)
        .where(
            shard.between(
                CounterShard.of(batch.id(), 0), CounterShard.of(batch.id(), CounterShard.MOST - 1)))
        .and(which)
        .groupBy(shard)
        .forEach(row -> counts.merge(row.value1(), row.value2(), Integer::sum));
  }
}
