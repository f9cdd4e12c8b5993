package io.rowqueue.internal.cancel;

import static io.rowqueue.internal.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.MessageId;
import io.rowqueue.internal.batch.BatchCounters;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.order.OrderingGroup;
import io.rowqueue.internal.order.OrderingGroups;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** Statements on unclaimed messages. */
public final class WaitingMessage {

  private static final Memberships NOTHING = new Memberships(null, null);

  private WaitingMessage() {}

  /** The fence: finds no row if {@code id} was claimed in the meantime. */
  public static Condition is(MessageId id) {
    return QUEUE_MESSAGE
        .ID
        .eq(id.value())
        .and(QUEUE_MESSAGE.STATE.in(MessageState.WAITING.stream().map(DSL::inline).toList()));
  }

  /**
   * Deletes the message with its failed attempts, and removes it from its ordering group.
   *
   * @return 0 if it was claimed, or is gone
   */
  public static int delete(DSLContext dsl, MessageId id) {
    return deleteAll(dsl, List.of(id));
  }

  /**
   * Deletes several messages with their failed attempts. Rows of other tables are changed after all
   * of them.
   *
   * @param sorted by ascending ids
   * @return how many were deleted
   */
  public static int deleteAll(DSLContext dsl, List<MessageId> sorted) {
    Map<Long, OrderingGroup> groups = new TreeMap<>();
    List<Long> batchIds = new ArrayList<>();
    int deleted = 0;
    for (MessageId id : sorted) {
      Memberships memberships = deleteRow(dsl, id);
      if (memberships != null) {
        deleted++;
        if (memberships.group() != null) {
          groups.put(id.value(), memberships.group());
        }
        if (memberships.batchId() != null) {
          batchIds.add(memberships.batchId());
        }
      }
    }
    OrderingGroups.leftAll(dsl, groups);
    BatchCounters.cancelled(dsl, batchIds);
    return deleted;
  }

  /** Null if the message was claimed, or is gone. */
  private static @Nullable Memberships deleteRow(DSLContext dsl, MessageId id) {
    int rows =
        dsl.deleteFrom(QUEUE_MESSAGE)
            .where(is(id))
            .and(QUEUE_MESSAGE.ORDERING_KEY.isNull())
            .and(QUEUE_MESSAGE.BATCH_ID.isNull())
            .execute();
    Memberships memberships = rows == 1 ? NOTHING : deleteWithOthers(dsl, id);
    if (memberships != null) {
      dsl.deleteFrom(QUEUE_ATTEMPT).where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value())).execute();
    }
    return memberships;
  }

  /**
   * Read without a lock: a locking read of a claimed message would hold its lock until the COMMIT.
   * Neither value changes during a message's life, and the deletion checks the fence again.
   */
  private static @Nullable Memberships deleteWithOthers(DSLContext dsl, MessageId id) {
    Memberships memberships =
        dsl.select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.ORDERING_KEY, QUEUE_MESSAGE.BATCH_ID)
            .from(QUEUE_MESSAGE)
            .where(QUEUE_MESSAGE.ID.eq(id.value()))
            .and(QUEUE_MESSAGE.ORDERING_KEY.isNotNull().or(QUEUE_MESSAGE.BATCH_ID.isNotNull()))
            .fetchOne(
                row ->
                    new Memberships(
                        row.value2() == null ? null : new OrderingGroup(row.value1(), row.value2()),
                        row.value3()));
    if (memberships == null) {
      return null;
    }
    int rows =
        dsl.deleteFrom(QUEUE_MESSAGE)
            .where(is(id))
            .and(QUEUE_MESSAGE.BATCH_ID.isNotDistinctFrom(memberships.batchId()))
            .execute();
    return rows == 0 ? null : memberships;
  }

  /**
   * References of a message to other tables.
   *
   * @param group its ordering group; null if it has no ordering key
   * @param batchId its batch shard or negated chain id; null if it has neither
   */
  private record Memberships(@Nullable OrderingGroup group, @Nullable Long batchId) {}
}
