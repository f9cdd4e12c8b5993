package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_LEAF;

import io.rowqueue.MessageBatch;
import io.rowqueue.internal.batch.Leaf;
import io.rowqueue.internal.batch.Members;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.table.tables.QueueBatch;
import io.rowqueue.internal.table.tables.QueueBatchLeaf;
import io.rowqueue.operate.BatchCounts;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.FoundBatch;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;
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

  public JooqBatches(Transactions transactions) {
    this.transactions = transactions;
    this.cancelling = new JooqBatchCancelling(transactions);
  }

  public static RefusedException unknown(long id) {
    return new RefusedException(
        "there is no batch %d: it was complete for a week, or never existed".formatted(id));
  }

  @Override
  public Optional<FoundBatch> find(long id) {
    return transactions.readSnapshot(
        dsl ->
            dsl.selectFrom(QUEUE_BATCH)
                .where(QUEUE_BATCH.ID.eq(id))
                .fetchOptional()
                .map(row -> found(dsl, row)));
  }

  @Override
  public List<FoundBatch> list(boolean all, long before, int limit) {
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

  private static FoundBatch found(DSLContext dsl, Record row) {
    Record5<Long, Long, Long, Long, Byte> counts =
        counts(dsl, row.get(QUEUE_BATCH.ID), row.get(QUEUE_BATCH.LEAVES));
    Long parent = row.get(QUEUE_BATCH.PARENT);
    return new FoundBatch(
        new MessageBatch(row.get(QUEUE_BATCH.ID), row.get(QUEUE_BATCH.LEAVES)),
        row.get(QUEUE_BATCH.NAME),
        parent == null ? null : Leaf.batch(parent),
        row.get(QUEUE_BATCH.SEALED) == 1,
        row.get(QUEUE_BATCH.CANCELLED) == 1,
        counts.value5() == 1,
        new BatchCounts(counts.value1(), counts.value2(), counts.value3(), counts.value4()),
        row.get(QUEUE_BATCH.CREATED_AT),
        row.get(QUEUE_BATCH.COMPLETED_AT));
  }

  private static Record5<Long, Long, Long, Long, Byte> counts(DSLContext dsl, long id, int leaves) {
    return dsl.select(
            DSL.coalesce(DSL.sum(QUEUE_BATCH_LEAF.TOTAL), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_LEAF.ACKED), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_LEAF.DEAD), 0).cast(Long.class),
            DSL.coalesce(DSL.sum(QUEUE_BATCH_LEAF.CANCELLED), 0).cast(Long.class),
            DSL.coalesce(DSL.max(QUEUE_BATCH_LEAF.HOLDS), (byte) 0))
        .from(QUEUE_BATCH_LEAF)
        .where(QUEUE_BATCH_LEAF.ID.between(Leaf.of(id, 0), Leaf.of(id, leaves - 1)))
        .fetchSingle();
  }

  private FoundBatch known(long id) {
    return find(id).orElseThrow(() -> unknown(id));
  }

  private FoundBatch incomplete(long id, String what) {
    FoundBatch batch = known(id);
    if (batch.completedAt() != null) {
      throw new RefusedException(
          "batch %d was not %s: it is complete since %s".formatted(id, what, batch.completedAt()));
    }
    return batch;
  }

  @Override
  public void seal(long id) {
    FoundBatch batch = known(id);
    if (batch.sealed() || !seal(batch.batch())) {
      throw new RefusedException("batch %d was sealed before".formatted(id));
    }
  }

  private boolean seal(MessageBatch batch) {
    return transactions.run(
        Transition.BATCH_SEAL,
        tx -> Members.in(tx.connection(), tx.pendingRing()).seal(batch.id(), batch.leaves()));
  }

  @Override
  public int cancel(long id) {
    FoundBatch batch = known(id);
    if (batch.cancelled() && batch.completedAt() != null) {
      // The answer to an earlier call may have been lost.
      return 0;
    }
    batch = incomplete(id, "cancelled");
    if (!batch.sealed()) {
      var unused = seal(batch.batch());
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
    if (old.isEmpty()) {
      return 0;
    }
    List<Long> leaves =
        old.stream()
            .flatMap(row -> Leaf.all(row.get(QUEUE_BATCH.ID), row.get(QUEUE_BATCH.LEAVES)).stream())
            .sorted()
            .toList();
    List<Long> ids = old.stream().map(row -> row.get(QUEUE_BATCH.ID)).sorted().toList();
    QueueBatchLeaf l = QUEUE_BATCH_LEAF.as(PrimaryKeyDelete.ALIAS);
    QueueBatch b = QUEUE_BATCH.as(PrimaryKeyDelete.ALIAS);
    return transactions.run(
        Transition.BATCH_PRUNE,
        tx -> {
          var unused = PrimaryKeyDelete.run(tx.dsl(), QUEUE_BATCH_LEAF, l.ID.in(leaves));
          return PrimaryKeyDelete.run(tx.dsl(), QUEUE_BATCH, b.ID.in(ids));
        });
  }

  private static List<Record2<Long, Byte>> old(DSLContext dsl, int limit) {
    return dsl.select(QUEUE_BATCH.ID, QUEUE_BATCH.LEAVES)
        .from(QUEUE_BATCH.forceIndex("queue_batch_by_completion"))
        .where(QUEUE_BATCH.COMPLETED_AT.lt(DatabaseClock.before(KEPT)))
        .orderBy(QUEUE_BATCH.COMPLETED_AT)
        .limit(limit)
        .fetch();
  }
}
