package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.ExistsCondition;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.OrderingKeyDetails;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record6;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Lists ordering groups for operators. */
final class JooqOrderingKeyList {

  private static final Condition HAS_HEAD_OR_WAITS =
      QUEUE_ORDERING_GROUP
          .MESSAGE_ID
          .isNotNull()
          .or(QUEUE_ORDERING_GROUP.HAS_CONCURRENT.eq((byte) 1))
          .or(
              ExistsCondition.of(
                  DSL.selectOne()
                      .from(QUEUE_ORDERING_MEMBER)
                      .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID))));

  private JooqOrderingKeyList() {}

  private static Field<Integer> members(int running, String name) {
    return DSL.field(
            DSL.selectCount()
                .from(QUEUE_ORDERING_MEMBER)
                .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(QUEUE_ORDERING_GROUP.GROUP_ID))
                .and(QUEUE_ORDERING_MEMBER.RUNNING.eq((byte) running)))
        .as(name);
  }

  static List<OrderingKeyDetails> list(DSLContext dsl, Topic topic, boolean held, int limit) {
    return dsl.select(
            QUEUE_ORDERING_GROUP.ORDERING_KEY,
            QUEUE_ORDERING_GROUP.MESSAGE_ID,
            QUEUE_MESSAGE.STATE,
            QUEUE_DEAD_LETTER.ID,
            members(0, "waiting"),
            members(1, "concurrent"))
        .from(QUEUE_ORDERING_GROUP)
        .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
        .on(QUEUE_MESSAGE.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .leftJoin(QUEUE_DEAD_LETTER.forceIndex("PRIMARY"))
        .on(QUEUE_DEAD_LETTER.ID.eq(QUEUE_ORDERING_GROUP.MESSAGE_ID))
        .where(QUEUE_ORDERING_GROUP.TOPIC.eq(topic.name()))
        .and(held ? QUEUE_DEAD_LETTER.ID.isNotNull() : HAS_HEAD_OR_WAITS)
        .orderBy(QUEUE_ORDERING_GROUP.ORDERING_KEY)
        .limit(limit)
        .fetch(JooqOrderingKeyList::details);
  }

  private static OrderingKeyDetails details(
      Record6<String, Long, Byte, Long, Integer, Integer> row) {
    Long head = row.value2();
    return new OrderingKeyDetails(
        row.value1(),
        head == null ? null : new MessageId(head),
        place(row.value3(), row.value4()),
        row.value6(),
        row.value5());
  }

  private static @Nullable MessageLocation place(@Nullable Byte state, @Nullable Long deadLetter) {
    if (state != null) {
      return JooqFinding.place(state);
    }
    return deadLetter == null ? null : MessageLocation.DEAD_LETTER;
  }
}
