package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.Transactions;
import java.util.ArrayList;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;

/**
 * Members of a batch. No index has the batch, so the members are looked for in a bounded number of
 * rows from the lowest id that a member can have, which is where a producer has inserted them.
 */
final class JooqBatchMembers {

  /** The maximum number of members of each kind that are returned. */
  static final int MOST = 100;

  /** The number of rows that are examined for them. */
  static final int EXAMINED = 10_000;

  private final Transactions transactions;
  private final long batch;

  JooqBatchMembers(Transactions transactions, long batch) {
    this.transactions = transactions;
    this.batch = batch;
  }

  /** A message or a dead letter. */
  record Member(long id, String topic, String state, boolean dead) {}

  private Condition isOfBatch(Field<Long> shard) {
    return shard.between(CounterShard.of(batch, 0), CounterShard.of(batch, CounterShard.MOST - 1));
  }

  /** Returns messages, then dead letters, by id. */
  List<Member> read() {
    return transactions.read(
        dsl -> {
          Long first =
              dsl.select(DSL.min(QUEUE_BATCH_SHARD.FIRST_MESSAGE))
                  .from(QUEUE_BATCH_SHARD)
                  .where(isOfBatch(QUEUE_BATCH_SHARD.ID))
                  .fetchSingle()
                  .value1();
          List<Member> members = new ArrayList<>();
          if (first != null) {
            members.addAll(
                read(
                    dsl,
                    QUEUE_MESSAGE,
                    QUEUE_MESSAGE.ID.ge(first),
                    QUEUE_MESSAGE.STATE.cast(SQLDataType.INTEGER)));
            members.addAll(
                read(
                    dsl,
                    QUEUE_DEAD_LETTER,
                    QUEUE_DEAD_LETTER.ID.ge(first),
                    DSL.inline(-1, SQLDataType.INTEGER)));
          }
          return members;
        });
  }

  private List<Member> read(DSLContext dsl, Table<?> table, Condition from, Field<Integer> state) {
    Field<Long> id = column(table, QUEUE_MESSAGE.ID);
    Field<String> topic = column(table, QUEUE_MESSAGE.TOPIC);
    Field<Long> shard = column(table, QUEUE_MESSAGE.BATCH_ID);
    Table<?> few =
        DSL.select(id, topic, shard, state.as("state"))
            .from(table.forceIndex("PRIMARY"))
            .where(from)
            .orderBy(id)
            .limit(EXAMINED)
            .asTable("few");
    return dsl.select(few.field(id), few.field(topic), few.field("state", SQLDataType.INTEGER))
        .from(few)
        .where(isOfBatch(few.field(shard)))
        .orderBy(few.field(id))
        .limit(MOST)
        .fetch(
            row -> {
              boolean dead = row.value3() < 0;
              String name = dead ? "dead letter" : MessagePages.name(row.value3().byteValue());
              return new Member(row.value1(), OverviewPages.shown(row.value2()), name, dead);
            });
  }

  @SuppressWarnings("NullAway") // both tables have the column
  private static <T> Field<T> column(Table<?> table, TableField<?, T> column) {
    return table.field(column);
  }

  /** Returns the ids of batches that are members, by index. */
  List<Long> batches() {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_BATCH.ID)
                .from(QUEUE_BATCH.forceIndex("queue_batch_by_parent"))
                .where(isOfBatch(QUEUE_BATCH.PARENT_SHARD))
                .orderBy(QUEUE_BATCH.ID)
                .limit(MOST)
                .fetch(QUEUE_BATCH.ID));
  }
}
