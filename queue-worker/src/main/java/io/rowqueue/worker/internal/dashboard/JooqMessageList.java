package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import org.jooq.Condition;
import org.jooq.Field;
import org.jooq.OrderField;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/** Pages of messages without payloads; each page is a range of one index. */
final class JooqMessageList {

  private static final Field<Long> SIZE =
      DSL.field("OCTET_LENGTH({0})", SQLDataType.BIGINT, QUEUE_MESSAGE.PAYLOAD).as("size");

  private static final Field<Instant> NOW = DatabaseClock.now().as("read_at");

  private final Transactions transactions;

  JooqMessageList(Transactions transactions) {
    this.transactions = transactions;
  }

  /** A message of a list, read at the time {@code at}. */
  record Row(
      long id,
      String topic,
      byte state,
      int priority,
      int attempts,
      int lost,
      String worker,
      @Nullable String orderingKey,
      long size,
      Instant createdAt,
      Instant dueAt,
      Instant updatedAt,
      Instant at) {}

  /** The last position of the previous page, in claim order. */
  record Place(byte priority, long id) {

    static Place of(Row row) {
      return new Place((byte) row.priority(), row.id());
    }
  }

  /** Returns the newest below {@code before}. */
  List<Row> newest(long before, int limit) {
    return list(
        QUEUE_MESSAGE.forceIndex("PRIMARY"),
        QUEUE_MESSAGE.ID.lt(before),
        limit,
        QUEUE_MESSAGE.ID.desc());
  }

  /** Returns those of a topic in a state, in claim order, after {@code after}. */
  List<Row> inState(String topic, byte state, @Nullable Place after, int limit) {
    Condition which = is(topic, state);
    return list(
        QUEUE_MESSAGE.forceIndex("queue_message_claim"),
        after == null ? which : which.and(behind(after)),
        limit,
        QUEUE_MESSAGE.PRIORITY,
        QUEUE_MESSAGE.ID);
  }

  static Condition is(String topic, byte state) {
    return QUEUE_MESSAGE.TOPIC.eq(topic).and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state)));
  }

  static Condition behind(Place after) {
    return QUEUE_MESSAGE
        .PRIORITY
        .gt(after.priority())
        .or(QUEUE_MESSAGE.PRIORITY.eq(after.priority()).and(QUEUE_MESSAGE.ID.gt(after.id())));
  }

  /** Returns those of any topic in a state, by due time. */
  List<Row> inState(byte state, int limit) {
    return list(
        QUEUE_MESSAGE.forceIndex("queue_message_due"),
        QUEUE_MESSAGE.STATE.eq(DSL.inline(state)),
        limit,
        QUEUE_MESSAGE.DUE_AT,
        QUEUE_MESSAGE.ID);
  }

  /** Returns those of {@code ids} that are in the queue, the newest first. */
  List<Row> all(Collection<Long> ids) {
    return list(
        QUEUE_MESSAGE.forceIndex("PRIMARY"),
        QUEUE_MESSAGE.ID.in(ids),
        ids.size(),
        QUEUE_MESSAGE.ID.desc());
  }

  List<Row> list(Table<?> table, Condition which, int limit, OrderField<?>... order) {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_MESSAGE.ID,
                    QUEUE_MESSAGE.TOPIC,
                    QUEUE_MESSAGE.STATE,
                    QUEUE_MESSAGE.PRIORITY,
                    QUEUE_MESSAGE.ATTEMPTS,
                    QUEUE_MESSAGE.LOST_CLAIMS,
                    QUEUE_MESSAGE.LOCK_ID,
                    QUEUE_MESSAGE.ORDERING_KEY,
                    SIZE,
                    QUEUE_MESSAGE.CREATED_AT,
                    QUEUE_MESSAGE.DUE_AT,
                    QUEUE_MESSAGE.UPDATED_AT,
                    NOW)
                .from(table)
                .where(which)
                .orderBy(order)
                .limit(limit)
                .fetch(JooqMessageList::row));
  }

  private static Row row(Record found) {
    return new Row(
        found.get(QUEUE_MESSAGE.ID),
        found.get(QUEUE_MESSAGE.TOPIC),
        found.get(QUEUE_MESSAGE.STATE),
        found.get(QUEUE_MESSAGE.PRIORITY),
        found.get(QUEUE_MESSAGE.ATTEMPTS),
        found.get(QUEUE_MESSAGE.LOST_CLAIMS),
        found.get(QUEUE_MESSAGE.LOCK_ID),
        found.get(QUEUE_MESSAGE.ORDERING_KEY),
        found.get(SIZE),
        found.get(QUEUE_MESSAGE.CREATED_AT),
        found.get(QUEUE_MESSAGE.DUE_AT),
        found.get(QUEUE_MESSAGE.UPDATED_AT),
        found.get(NOW));
  }

  /** Returns the highest id in the queue; 0 if it is empty. */
  long highestId() {
    Long highest =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_MESSAGE.ID)
                    .from(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                    .orderBy(QUEUE_MESSAGE.ID.desc())
                    .limit(1)
                    .fetchOne(QUEUE_MESSAGE.ID));
    return highest == null ? 0 : highest;
  }

  /**
   * Returns the next priority after {@code above}, in claim order, for which the topic has messages
   * in this state.
   */
  @Nullable Byte priority(String topic, byte state, int above) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.PRIORITY)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
                .where(QUEUE_MESSAGE.TOPIC.eq(topic))
                .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state)))
                .and(DSL.condition("{0} > {1}", QUEUE_MESSAGE.PRIORITY, DSL.val(above)))
                .orderBy(QUEUE_MESSAGE.PRIORITY)
                .limit(1)
                .fetchOne(QUEUE_MESSAGE.PRIORITY));
  }

  /** Returns ids of a topic, state and priority, above {@code after} and up to {@code last}. */
  List<MessageId> ids(String topic, byte state, Place after, Upto upto) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_MESSAGE.ID)
                .from(QUEUE_MESSAGE.forceIndex("queue_message_claim"))
                .where(QUEUE_MESSAGE.TOPIC.eq(topic))
                .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state)))
                .and(QUEUE_MESSAGE.PRIORITY.eq(after.priority()))
                .and(QUEUE_MESSAGE.ID.gt(after.id()))
                .and(QUEUE_MESSAGE.ID.le(upto.last()))
                .orderBy(QUEUE_MESSAGE.ID)
                .limit(upto.most())
                .fetch(row -> new MessageId(row.value1())));
  }

  /** The end of an iteration over ids, and its page size. */
  record Upto(long last, int most) {}

  /** Returns whether messages in {@code state} are waiting. */
  static boolean isWaiting(byte state) {
    return MessageState.WAITING.contains(state);
  }
}
