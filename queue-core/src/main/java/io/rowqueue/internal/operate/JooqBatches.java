package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;

import io.rowqueue.MessageBatch;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Record2;
import org.jooq.Record5;
import org.jooq.impl.DSL;

public final class JooqBatches implements Batches {

  private static final Duration KEPT = Duration.ofDays(7);

  private final Transactions transactions;
  private final JooqBatchCancelling cancelling;
  private final RefusedRows<Long> refused = Pruning.rows("the deletion of completed batch");

  public JooqBatches(Transactions transactions) {
    this.transactions = transactions;
    this.cancelling = new JooqBatchCancelling(transactions);
  }

  public static RefusedException unknown(long id) {
    return new RefusedException(
        "there is no batch %d: it completed more than a week ago, or never existed".formatted(id));
  }

  @Override
  public Optional<BatchDetails> find(long id) {
    return transactions.readSnapshot(
        dsl ->
            dsl.selectFrom(QUEUE_BATCH)
                .where(QUEUE_BATCH.ID.eq(id))
                .fetchOptional()
                .map(row -> found(dsl, row)));
  }

  @Override
  public List<BatchDetails> list(boolean all, long before, int limit) {
    return transactions.readSnapshot(
        dsl ->
            dsl
                .selectFrom(QUEUE_BATCH)
                .where(QUEUE_BATCH.ID.lt(before))
                .and(all ? DSL.noCondition() : QUEUE_BATCH.COMPLETED_AT.isNull())
                .orderBy(QUEUE_BATCH.ID.desc())
                .limit(limit)
                .fetch()
                .stream()
                .map(row -> found(dsl, row))
                .toList());
  }

  private static BatchDetails found(DSLContext dsl, Record row) {
    Record5<Long, Long, Long, Long, Byte> counts =
        counts(dsl, row.get(QUEUE_BATCH.ID), row.get(QUEUE_BATCH.SHARDS));
    Long parent = row.get(QUEUE_BATCH.PARENT_SHARD);
    return new BatchDetails(
        new MessageBatch(row.get(QUEUE_BATCH.ID), row.get(QUEUE_BATCH.SHARDS)),
        row.get(QUEUE_BATCH.NAME),
        parent == null ? null : CounterShard.batch(parent),
        row.get(QUEUE_BATCH.CLOSED) == 1,
        row.get(QUEUE_BATCH.CANCELLED) == 1,
        counts.value5() == 1,
        new BatchCounts(counts.value1(), counts.value2(), counts.value3(), counts.value4()),
        row.get(QUEUE_BATCH.CREATED_AT),
        row.get(QUEUE_BATCH.COMPLETED_AT));
  }

  private static Record5<Long, Long, Long, Long, Byte> counts(DSLContext dsl, long id, int shards) {
    return dsl.select(
            DSL.coalesce(DSL.sum(QUEUE_BATCH_SHARD.TOTAL), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_SHARD.ACKED), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_SHARD.DEAD), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_SHARD.CANCELLED), 0).cast(Long.class),
            DSL.coalesce(DSL.max(QUEUE_BATCH_SHARD.WAITS_FOR_DEAD), (byte) 0))
        .from(QUEUE_BATCH_SHARD)
        .where(
            QUEUE_BATCH_SHARD.ID.between(CounterShard.of(id, 0), CounterShard.of(id, shards - 1)))
        .fetchSingle();
  }

  private BatchDetails known(long id) {
    return find(id).orElseThrow(() -> unknown(id));
  }

  private BatchDetails incomplete(long id, String what) {
    BatchDetails batch = known(id);
    if (batch.completedAt() != null) {
      throw new RefusedException(
          "batch %d was not %s: it completed at %s".formatted(id, what, batch.completedAt()));
    }
    return batch;
  }

  @Override
  public void close(long id) {
    BatchDetails batch = known(id);
    if (batch.sealed() || !close(batch.batch())) {
      throw new RefusedException("batch %d is already closed".formatted(id));
    }
  }

  private boolean close(MessageBatch batch) {
    return transactions.run(
        Transition.BATCH_CLOSE,
        tx ->
            BatchCounters.in(tx.connection(), tx.afterCommit()).close(batch.id(), batch.shards()));
  }

  @Override
  public int cancel(long id) {
    BatchDetails batch = known(id);
    if (batch.cancelled() && batch.completedAt() != null) {
      // The answer to an earlier call may have been lost.
      return 0;
    }
    batch = incomplete(id, "cancelled");
    if (!batch.sealed()) {
      var unused = close(batch.batch());
    }
    cancelling.flag(id);
    return cancelling.sweep(id);
  }

  @Override
  public int sweep() {
    return cancelling.sweepAll();
  }

  @Override
  public BatchCounts recount(long id) {
    MessageBatch batch = incomplete(id, "recounted").batch();
    transactions.run(Transition.BATCH_RECOUNT, tx -> new JooqRecount(tx, batch).run());
    return progress(id);
  }

  @Override
  public int prune(int limit) {
    List<Record2<Long, Byte>> old = transactions.read(dsl -> old(dsl, limit));
    return RefusedRows.sum(
        refused.change(
            old.stream().sorted(Comparator.comparing(Record2::value1)).toList(),
            Record2::value1,
            some -> transactions.run(Transition.BATCH_PRUNE, tx -> delete(tx.dsl(), some))));
  }

  private static int delete(DSLContext dsl, List<Record2<Long, Byte>> batches) {
    List<Long> shards =
        batches.stream()
            .flatMap(row -> CounterShard.all(row.value1(), row.value2()).stream())
            .toList();
    List<Long> ids = batches.stream().map(Record2::value1).toList();
    var unused = PrimaryKeyDelete.run(dsl, QUEUE_BATCH_SHARD, QUEUE_BATCH_SHARD.ID.in(shards));
    return PrimaryKeyDelete.run(dsl, QUEUE_BATCH, QUEUE_BATCH.ID.in(ids));
  }

  private List<Record2<Long, Byte>> old(DSLContext dsl, int limit) {
    return dsl.select(QUEUE_BATCH.ID, QUEUE_BATCH.SHARDS)
        .from(QUEUE_BATCH.forceIndex("queue_batch_by_completion"))
        .where(QUEUE_BATCH.COMPLETED_AT.lt(DatabaseClock.before(KEPT)))
        .and(refused.others(QUEUE_BATCH.ID))
        .orderBy(QUEUE_BATCH.COMPLETED_AT)
        .limit(limit)
        .fetch();
  }
}
