package io.rowqueue.internal.order;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_ORDERING_GROUP;

import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.message.TopicKeyId;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
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

  private NewOrderedMessages() {}

  /** At most {@code most}: new messages above an id, and messages that have returned. */
  static List<NewOrderedMessage> read(DSLContext dsl, long above, int most) {
    return dsl.select(
            QUEUE_MESSAGE.ID, QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.ORDERING_KEY, IS_UNSEEN, IS_LATER)
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
                    row.value5()));
  }

  /** Those of {@code lines} that have a row. */
  static Set<TopicKeyId> heads(DSLContext dsl, Collection<TopicKeyId> lines) {
    return dsl
        .select(QUEUE_ORDERING_GROUP.GROUP_ID)
        .from(QUEUE_ORDERING_GROUP.forceIndex("PRIMARY"))
        .where(QUEUE_ORDERING_GROUP.GROUP_ID.in(JooqGroups.bytes(lines)))
        .fetch(row -> TopicKeyId.of(row.value1()))
        .stream()
        .collect(Collectors.toSet());
  }

  /** Inserts rows without a first message, unless another transaction has inserted them. */
  static int makeHeads(DSLContext dsl, List<OrderingGroup> lines) {
    return dsl.insertInto(
            QUEUE_ORDERING_GROUP,
            QUEUE_ORDERING_GROUP.GROUP_ID,
            QUEUE_ORDERING_GROUP.TOPIC,
            QUEUE_ORDERING_GROUP.ORDERING_KEY,
            QUEUE_ORDERING_GROUP.NEEDS_RELEASE,
            QUEUE_ORDERING_GROUP.VERSION,
            QUEUE_ORDERING_GROUP.UPDATED_AT)
        .valuesOfRows(
            lines.stream()
                .map(
                    line ->
                        DSL.row(
                            DSL.val(line.id().bytes()),
                            DSL.val(line.topic()),
                            DSL.val(line.key()),
                            DSL.inline((byte) 0),
                            DSL.inline(1L),
                            DatabaseClock.now()))
                .toList())
        .onDuplicateKeyUpdate()
        .set(QUEUE_ORDERING_GROUP.VERSION, QUEUE_ORDERING_GROUP.VERSION.plus(DSL.inline(1)))
        .execute();
  }
}
