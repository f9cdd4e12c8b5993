package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN;
import static io.rowqueue.internal.table.Tables.QUEUE_CHAIN_STEP;

import io.rowqueue.MessageId;
import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.cancel.WaitingMessage;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.ChainDetails;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.Table;

public final class JooqChains implements Chains {

  private final Transactions transactions;

  public JooqChains(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public Optional<ChainDetails> find(long id) {
    return transactions.readSnapshot(dsl -> find(dsl, id));
  }

  /** Returns chains with ids below {@code before}, the newest first; takes no locks. */
  public List<ChainDetails> list(long before, int limit) {
    return list(QUEUE_CHAIN.forceIndex("PRIMARY"), QUEUE_CHAIN.ID.lt(before), limit);
  }

  /** Returns the newest chains that are members of {@code batch}; takes no locks. */
  public List<ChainDetails> ofBatch(long batch, int limit) {
    return list(
        QUEUE_CHAIN.forceIndex("queue_chain_by_batch"),
        QUEUE_CHAIN.BATCH_ID.between(
            CounterShard.of(batch, 0), CounterShard.of(batch, CounterShard.MOST - 1)),
        limit);
  }

  private List<ChainDetails> list(Table<?> table, Condition which, int limit) {
    return transactions.readSnapshot(
        dsl ->
            found(
                dsl,
                dsl.select(QUEUE_CHAIN.fields())
                    .from(table)
                    .where(which)
                    .orderBy(QUEUE_CHAIN.ID.desc())
                    .limit(limit)
                    .fetch()));
  }

  private static Optional<ChainDetails> find(DSLContext dsl, long id) {
    return found(dsl, dsl.selectFrom(QUEUE_CHAIN).where(QUEUE_CHAIN.ID.eq(id)).fetch()).stream()
        .findFirst();
  }

  private static List<ChainDetails> found(DSLContext dsl, List<? extends Record> chains) {
    List<Long> ids = chains.stream().map(row -> row.get(QUEUE_CHAIN.ID)).toList();
    Map<Long, List<String>> topics =
        dsl.select(QUEUE_CHAIN_STEP.CHAIN_ID, QUEUE_CHAIN_STEP.TOPIC)
            .from(QUEUE_CHAIN_STEP)
            .where(QUEUE_CHAIN_STEP.CHAIN_ID.in(ids))
            .orderBy(QUEUE_CHAIN_STEP.CHAIN_ID, QUEUE_CHAIN_STEP.STEP)
            .fetchGroups(QUEUE_CHAIN_STEP.CHAIN_ID, QUEUE_CHAIN_STEP.TOPIC);
    return chains.stream()
        .map(row -> found(row, topics.getOrDefault(row.get(QUEUE_CHAIN.ID), List.of())))
        .toList();
  }

  private static ChainDetails found(Record row, List<String> topics) {
    Long shard = row.get(QUEUE_CHAIN.BATCH_ID);
    Long message = row.get(QUEUE_CHAIN.MESSAGE_ID);
    return new ChainDetails(
        row.get(QUEUE_CHAIN.ID),
        row.get(QUEUE_CHAIN.NAME),
        shard == null ? null : CounterShard.batch(shard),
        message == null ? null : new MessageId(message),
        topics,
        row.get(QUEUE_CHAIN.CREATED_AT));
  }

  @Override
  public boolean cancel(long id) {
    ChainDetails chain =
        find(id)
            .orElseThrow(
                () ->
                    new RefusedException(
                        "chain %d was not cancelled: it has ended, or never existed"
                            .formatted(id)));
    transactions.run(Transition.CHAIN_CANCEL, tx -> deleteSteps(tx.dsl(), id));
    // The chain may have moved on to its next message before the deletion.
    MessageId message = find(id).map(ChainDetails::message).orElse(chain.message());
    return message != null
        && transactions.run(Transition.CHAIN_CANCEL, tx -> WaitingMessage.delete(tx.dsl(), message))
            == 1;
  }

  private static int deleteSteps(DSLContext dsl, long id) {
    return dsl.deleteFrom(QUEUE_CHAIN_STEP).where(QUEUE_CHAIN_STEP.CHAIN_ID.eq(id)).execute();
  }
}
