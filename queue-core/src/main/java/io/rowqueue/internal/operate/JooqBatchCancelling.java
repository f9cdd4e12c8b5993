package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.cancel.WaitingMessage;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import java.util.List;
import java.util.function.IntSupplier;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.TableField;
import org.jooq.impl.DSL;

/** Deletes the unclaimed messages of cancelled batches. */
final class JooqBatchCancelling {

  /** Deletions per transaction, which locks a batch shard for its duration. */
  private static final int CHUNK = 200;

  private static final byte YES = 1;

  private final Transactions transactions;
  private final Chains chains;
  private final RefusedRows<Long> batches = new RefusedRows<>("the cancellation of batch");
  private final RefusedRows<MessageId> members =
      new RefusedRows<>("the cancellation of batch member");

  JooqBatchCancelling(Transactions transactions) {
    this.transactions = transactions;
    this.chains = new JooqChains(transactions);
  }

  /** Marks the batch as cancelled, so that maintenance continues the cancellation. */
  void flag(long batch) {
    transactions.run(
        Transition.BATCH_CANCEL,
        tx ->
            tx.dsl()
                .update(QUEUE_BATCH)
                .set(QUEUE_BATCH.CANCELLED, YES)
                .where(QUEUE_BATCH.ID.eq(batch))
                .execute());
  }

  int sweepAll() {
    List<Long> cancelled =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_BATCH.ID)
                    .from(QUEUE_BATCH.forceIndex("queue_batch_by_cancellation"))
                    .where(QUEUE_BATCH.CANCELLED.eq(DSL.inline(YES)))
                    .and(QUEUE_BATCH.COMPLETED_AT.isNull())
                    .orderBy(QUEUE_BATCH.ID)
                    .fetch(QUEUE_BATCH.ID));
    return RefusedRows.sum(
        batches.changeEach(batches.others(cancelled, id -> id), id -> id, this::sweep));
  }

  /** Cancels nested batches first: they are members, and complete when they are empty. */
  int sweep(long batch) {
    List<IntSupplier> parts =
        List.of(
            () -> IndependentParts.sum(children(batch), this::cancelChild),
            () -> IndependentParts.sum(chains(batch), this::cancelChain),
            () -> cancelMembers(batch));
    return IndependentParts.sum(parts, IntSupplier::getAsInt);
  }

  private int cancelChild(long child) {
    flag(child);
    return sweep(child);
  }

  private static Condition isOf(long batch, TableField<?, Long> shard) {
    return shard.between(CounterShard.of(batch, 0), CounterShard.of(batch, CounterShard.MOST - 1));
  }

  private List<Long> children(long batch) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_BATCH.ID)
                .from(QUEUE_BATCH.forceIndex("queue_batch_by_parent"))
                .where(isOf(batch, QUEUE_BATCH.PARENT_SHARD))
                .and(QUEUE_BATCH.COMPLETED_AT.isNull())
                .orderBy(QUEUE_BATCH.ID)
                .fetch(QUEUE_BATCH.ID));
  }

  private List<Long> chains(long batch) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_CHAIN.ID)
                .from(QUEUE_CHAIN.forceIndex("queue_chain_by_batch"))
                .where(isOf(batch, QUEUE_CHAIN.BATCH_ID))
                .fetch(QUEUE_CHAIN.ID));
  }

  private int cancelChain(long chain) {
    try {
      return chains.cancel(chain) ? 1 : 0;
    } catch (RefusedException e) {
      // It has ended in the meantime.
      return 0;
    }
  }

  private int cancelMembers(long batch) {
    return IndependentParts.<Long>sumOfPages(
        CHUNK, last -> waiting(batch, last == null ? first(batch) - 1 : last), this::delete);
  }

  /** The lowest message id of the batch, where the scan starts. */
  private long first(long batch) {
    Long first =
        transactions.read(
            dsl ->
                dsl.select(DSL.min(QUEUE_BATCH_SHARD.FIRST_MESSAGE))
                    .from(QUEUE_BATCH_SHARD)
                    .where(isOf(batch, QUEUE_BATCH_SHARD.ID))
                    .fetchSingle()
                    .value1());
    return first == null ? 1 : first;
  }

  private List<Long> waiting(long batch, long after) {
    return transactions.read(dsl -> waiting(dsl, batch, after));
  }

  private static List<Long> waiting(DSLContext dsl, long batch, long after) {
    return dsl.select(QUEUE_MESSAGE.ID)
        .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .where(QUEUE_MESSAGE.ID.gt(after))
        .and(isOf(batch, QUEUE_MESSAGE.BATCH_ID))
        .and(QUEUE_MESSAGE.STATE.ne(DSL.inline(MessageState.CLAIMED)))
        .orderBy(QUEUE_MESSAGE.ID)
        .limit(CHUNK)
        .fetch(QUEUE_MESSAGE.ID);
  }

  private int delete(List<Long> ids) {
    return RefusedRows.sum(
        members.change(
            members.others(ids.stream().map(MessageId::new).toList(), id -> id),
            id -> id,
            some ->
                transactions.run(
                    Transition.BATCH_CANCEL, tx -> WaitingMessage.deleteAll(tx.dsl(), some))));
  }
}
