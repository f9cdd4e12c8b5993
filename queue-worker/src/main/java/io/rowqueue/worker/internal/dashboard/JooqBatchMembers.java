package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH;
import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.internal.batch.CounterShard;
import io.rowqueue.internal.database.Transactions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Table;
import org.jooq.TableField;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Members of a batch. No index has the batch, so messages and dead letters are searched by id, from
 * the lowest id that a member can have, which is where a producer has inserted them.
 */
final class JooqBatchMembers {

  /** The maximum number of members of a page. */
  static final int MOST = 100;

  private static final Field<Byte> DEAD = DSL.inline((byte) -1);

  private final Transactions transactions;
  private final long batch;

  JooqBatchMembers(Transactions transactions, long batch) {
    this.transactions = transactions;
    this.batch = batch;
  }

  /** A message or a dead letter. */
  record Member(long id, String topic, String state, boolean dead) {}

  /**
   * Members by id.
   *
   * @param after the id up to which rows have been searched; null if there are no further rows
   */
  record Found(List<Member> members, @Nullable Long after) {}

  private Condition isOfBatch(Field<Long> shard) {
    return shard.between(CounterShard.of(batch, 0), CounterShard.of(batch, CounterShard.MOST - 1));
  }

  /**
   * Returns the first members behind an id, those that are found in the time of a page.
   *
   * @param all the number of members that there can be
   */
  Found find(long after, long all) {
    List<Member> found = new ArrayList<>();
    SearchStep step = new SearchStep(false);
    long start = System.nanoTime();
    @Nullable Long last = Math.max(after, firstMessage() - 1);
    while (last != null
        && found.size() < MOST
        && System.nanoTime() - start < SearchStep.PAGE_TIME.toNanos()) {
      long began = System.nanoTime();
      last = found.size() < all ? search(last, step.rows(), found) : null;
      step.took(System.nanoTime() - began);
    }
    return new Found(found, last);
  }

  private long firstMessage() {
    Long first =
        transactions.read(
            dsl ->
                dsl.select(DSL.min(QUEUE_BATCH_SHARD.FIRST_MESSAGE))
                    .from(QUEUE_BATCH_SHARD)
                    .where(isOfBatch(QUEUE_BATCH_SHARD.ID))
                    .fetchSingle()
                    .value1());
    return first == null ? Long.MAX_VALUE : first;
  }

  /** Adds the members among the next rows; returns the last id of these, null without any more. */
  private @Nullable Long search(long after, int rows, List<Member> found) {
    return transactions.read(
        dsl -> {
          Long end = end(dsl, after, rows);
          Range range = new Range(after, end);
          List<Member> members = new ArrayList<>();
          members.addAll(members(dsl, QUEUE_MESSAGE, QUEUE_MESSAGE.STATE, range));
          members.addAll(members(dsl, QUEUE_DEAD_LETTER, DEAD, range));
          members.sort(Comparator.comparingLong(Member::id));
          int room = MOST - found.size();
          boolean full = members.size() >= room;
          found.addAll(full ? members.subList(0, room) : members);
          return full ? Long.valueOf(members.get(room - 1).id()) : end;
        });
  }

  /** The ids above {@code after}, up to {@code end} if there is one. */
  private record Range(long after, @Nullable Long end) {

    Condition has(Field<Long> id) {
      return end == null ? id.gt(after) : id.gt(after).and(id.le(end));
    }
  }

  /** The id of the last of the next rows of either table; null if both have fewer. */
  private static @Nullable Long end(DSLContext dsl, long after, int rows) {
    return Stream.of(QUEUE_MESSAGE, QUEUE_DEAD_LETTER)
        .map(
            table -> {
              Field<Long> id = column(table, QUEUE_MESSAGE.ID);
              return dsl.select(id)
                  .from(table.forceIndex("PRIMARY"))
                  .where(id.gt(after))
                  .orderBy(id)
                  .limit(1)
                  .offset(rows - 1)
                  .fetchOne(id);
            })
        .filter(Objects::nonNull)
        .min(Comparator.naturalOrder())
        .orElse(null);
  }

  private List<Member> members(DSLContext dsl, Table<?> table, Field<Byte> state, Range range) {
    Field<Long> id = column(table, QUEUE_MESSAGE.ID);
    return dsl.select(id, column(table, QUEUE_MESSAGE.TOPIC), state)
        .from(table.forceIndex("PRIMARY"))
        .where(range.has(id))
        .and(isOfBatch(column(table, QUEUE_MESSAGE.BATCH_ID)))
        .orderBy(id)
        .limit(MOST)
        .fetch(
            row -> {
              boolean dead = row.value3() < 0;
              String name = dead ? "dead letter" : MessagePages.name(row.value3());
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
