package io.rowqueue.internal.deduplicate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEDUPLICATION;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.message.TopicKeyId;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/*
 * Scans by primary key: entries of an index by time would move with every enqueue. Keys that may be
 * used again soon are not deleted, since waiters inherit gap locks when a row disappears.
 */

public final class DeduplicationKeys {

  /** The key was not used recently, and its window is over. */
  private static final Condition IDLE =
      DSL.condition(
          "{0} < UTC_TIMESTAMP(6) - INTERVAL 10 MINUTE AND ({1} IS NULL OR {1} <="
              + " UTC_TIMESTAMP(6))",
          QUEUE_DEDUPLICATION.UPDATED_AT, QUEUE_DEDUPLICATION.HELD_UNTIL);

  private static final Field<Boolean> IS_FREE = DSL.field(IDLE.and(QUEUE_MESSAGE.ID.isNull()));

  private final Transactions transactions;
  private final Pruning<byte[]> pruning;

  public DeduplicationKeys(Transactions transactions) {
    this.transactions = transactions;
    this.pruning =
        new Pruning<>(
            transactions, Transition.PRUNE_KEYS, QUEUE_DEDUPLICATION.DEDUP_ID, TopicKeyId::of);
  }

  /**
   * Deletes keys that are no longer held: their messages are in no table, their windows are over,
   * and they were not used in the last ten minutes. Scans all keys, {@code batch} at a time, by
   * primary key and without locks. Any worker may run it at any time, several at once; keys that a
   * producer has locked are skipped.
   *
   * @return how many
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  public int prune(int batch) {
    return IndependentParts.<Record2<byte[], Boolean>>sumOfPages(
        batch, last -> page(last, batch), this::prune);
  }

  /** A producer that used a key since the scan has changed the row's time, or holds its lock. */
  private int prune(List<Record2<byte[], Boolean>> page) {
    return pruning.delete(
        page.stream().filter(Record2::value2).map(Record2::value1).toList(), IDLE);
  }

  private List<Record2<byte[], Boolean>> page(@Nullable Record2<byte[], Boolean> last, int batch) {
    byte[] after = last == null ? new byte[0] : last.value1();
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEDUPLICATION.DEDUP_ID, IS_FREE)
                .from(QUEUE_DEDUPLICATION.forceIndex("PRIMARY"))
                .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                .on(QUEUE_MESSAGE.ID.eq(QUEUE_DEDUPLICATION.MESSAGE_ID))
                .where(QUEUE_DEDUPLICATION.DEDUP_ID.gt(after))
                .orderBy(QUEUE_DEDUPLICATION.DEDUP_ID)
                .limit(batch)
                .fetch());
  }
}
