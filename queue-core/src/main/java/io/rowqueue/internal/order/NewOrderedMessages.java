package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_MEMBER;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.ExistsCondition;
import java.time.Instant;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/**
 * Reads messages that are not admitted yet, without locks, and inserts the rows of their groups.
 */
final class NewOrderedMessages {

  static final Condition ARRIVES = QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.ARRIVING));

  /** The constant that producers write, so that the index lists new messages by id. */
  private static final Field<Instant> UNSEEN_DUE_AT =
      DSL.field("TIMESTAMP'1970-01-01 00:00:00'", DatabaseClock.type());

  private static final Field<Boolean> IS_UNSEEN =
      DSL.field(QUEUE_MESSAGE.DUE_AT.eq(UNSEEN_DUE_AT)).as("unseen");
  private static final Field<Boolean> IS_LATER =
      DSL.field(QUEUE_MESSAGE.DUE_AT.gt(DatabaseClock.now())).as("later");

  /** The group's primary key, as {@link io.rowqueue.internal.message.TopicKeyId} computes it. */
  private static final Field<byte[]> LINE =
      DSL.field(
          "UNHEX(LEFT(SHA2(CONCAT({0}, CHAR(0), {1}), 256), 32))",
          QUEUE_ORDERING_GROUP.GROUP_ID.getDataType(),
          QUEUE_MESSAGE.TOPIC,
          QUEUE_MESSAGE.ORDERING_KEY);

  private static final Field<Boolean> HAS_GROUP =
      DSL.field(
              ExistsCondition.of(
                  DSL.selectOne()
                      .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
                      .where(QUEUE_ORDERING_GROUP.GROUP_ID.eq(LINE))))
          .as("has_group");

  /** Whether the message waits in its group. */
  static final Field<Boolean> IS_MEMBER =
      DSL.field(
              ExistsCondition.of(
                  DSL.selectOne()
                      .from(QUEUE_ORDERING_MEMBER.forceIndex("PRIMARY"))
                      .where(QUEUE_ORDERING_MEMBER.GROUP_ID.eq(LINE))
                      .and(QUEUE_ORDERING_MEMBER.RUNNING.eq(DSL.inline(JooqGroups.WAITING)))
                      .and(QUEUE_ORDERING_MEMBER.MESSAGE_ID.eq(QUEUE_MESSAGE.ID))))
          .as("is_member");

  private NewOrderedMessages() {}

  /** At most {@code most}: new messages above an id, and messages that have returned. */
  static List<NewOrderedMessage> read(DSLContext dsl, long above, int most) {
    return dsl.select(
            QUEUE_MESSAGE.ID,
            QUEUE_MESSAGE.TOPIC,
            QUEUE_MESSAGE.ORDERING_KEY,
            IS_UNSEEN,
            IS_LATER,
            HAS_GROUP)
        .from(QUEUE_MESSAGE.forceIndex("queue_message_due"))
        .where(ARRIVES)
        .and(
            QUEUE_MESSAGE
                .DUE_AT
                .eq(UNSEEN_DUE_AT)
                .and(QUEUE_MESSAGE.ID.gt(above))
                .or(QUEUE_MESSAGE.DUE_AT.gt(UNSEEN_DUE_AT)))
        .and(QUEUE_MESSAGE.ORDERING_KEY.isNotNull())
        .orderBy(QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.ID)
        .limit(most)
        .fetch(
            row ->
                new NewOrderedMessage(
                    row.value1(),
                    new OrderingGroup(row.value2(), row.value3()),
                    row.value4(),
                    row.value5(),
                    row.value6()));
  }

  /** Inserts rows without a first message, unless another transaction has inserted them. */
  static int makeGroups(DSLContext dsl, List<OrderingGroup> groups) {
    return dsl.insertInto(
            QUEUE_ORDERING_GROUP,
            QUEUE_ORDERING_GROUP.GROUP_ID,
            QUEUE_ORDERING_GROUP.TOPIC,
            QUEUE_ORDERING_GROUP.ORDERING_KEY,
            QUEUE_ORDERING_GROUP.NEEDS_RELEASE,
            QUEUE_ORDERING_GROUP.VERSION,
            QUEUE_ORDERING_GROUP.UPDATED_AT)
        .valuesOfRows(
            groups.stream()
                .map(
                    group ->
                        DSL.row(
                            DSL.val(group.id().bytes()),
                            DSL.val(group.topic()),
                            DSL.val(group.key()),
                            DSL.inline((byte) 0),
                            DSL.inline(1L),
                            DatabaseClock.now()))
                .toList())
        .onDuplicateKeyUpdate()
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .execute();
  }
}
