package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_HEAD;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDER_RUNNING;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.operate.FoundLine;
import io.rowqueue.operate.Place;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record6;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Looks at lines as people do. */
final class JooqLineList {

  private static final Field<Integer> WAITING =
      DSL.field(
              DSL.selectCount()
                  .from(QUEUE_ORDER)
                  .where(QUEUE_ORDER.ORDER_ID.eq(QUEUE_ORDER_HEAD.ORDER_ID)))
          .as("waiting");

  private static final Field<Integer> BESIDE =
      DSL.field(
              DSL.selectCount()
                  .from(QUEUE_ORDER_RUNNING)
                  .where(QUEUE_ORDER_RUNNING.ORDER_ID.eq(QUEUE_ORDER_HEAD.ORDER_ID)))
          .as("beside");

  private static final Condition HAS_HEAD_OR_WAITS =
      QUEUE_ORDER_HEAD
          .MESSAGE_ID
          .isNotNull()
          .or(QUEUE_ORDER_HEAD.SEVERAL.eq((byte) 1))
          .or(
              DSL.exists(
                  DSL.selectOne()
                      .from(QUEUE_ORDER)
                      .where(QUEUE_ORDER.ORDER_ID.eq(QUEUE_ORDER_HEAD.ORDER_ID))));

  private JooqLineList() {}

  static List<FoundLine> list(DSLContext dsl, Topic topic, boolean held, int limit) {
    return dsl.select(
            QUEUE_ORDER_HEAD.ORDERING_KEY,
            QUEUE_ORDER_HEAD.MESSAGE_ID,
            QUEUE_MESSAGE.STATE,
            QUEUE_DEAD_LETTER.ID,
            WAITING,
            BESIDE)
        .from(QUEUE_ORDER_HEAD)
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDER_HEAD.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDER_HEAD.MESSAGE_ID))
        .where(QUEUE_ORDER_HEAD.TOPIC.eq(topic.name()))
        .and(held ? QUEUE_DEAD_LETTER.ID.isNotNull() : HAS_HEAD_OR_WAITS)
        .orderBy(QUEUE_ORDER_HEAD.ORDERING_KEY)
        .limit(limit)
        .fetch(JooqLineList::line);
  }

  private static FoundLine line(Record6<String, Long, Byte, Long, Integer, Integer> row) {
    Long head = row.value2();
    return new FoundLine(
        row.value1(),
        head == null ? null : new MessageId(head),
        place(row.value3(), row.value4()),
        row.value6(),
        row.value5());
  }

  private static @Nullable Place place(@Nullable Byte state, @Nullable Long deadLetter) {
    if (state != null) {
      return JooqFinding.place(state);
    }
    return deadLetter == null ? null : Place.DEAD_LETTER;
  }
}
