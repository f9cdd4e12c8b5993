package io.rowqueue.internal.order;

import java.util.Map;
import org.jooq.DSLContext;

/**
 * Removes messages from their groups that leave the queue without being handled. Call it in the
 * transaction that removes them, after everything that locks messages. A worker's poll makes the
 * next message available within a second.
 */
public final class OrderingGroups {

  private OrderingGroups() {}

  /** The message {@code id} has left {@code group}. */
  public static void left(DSLContext dsl, OrderingGroup group, long id) {
    leftAll(dsl, Map.of(id, group));
  }

  /**
   * The messages have left their groups.
   *
   * @param left by message id
   */
  public static void leftAll(DSLContext dsl, Map<Long, OrderingGroup> left) {
    if (!left.isEmpty()) {
      JooqOrderingGroups.leave(dsl, left);
    }
  }

  /**
   * The message {@code id} has become a dead letter. It blocks {@code group}, unless its topic
   * skips dead letters or allows several messages per key at once.
   */
  public static void skipDeadLetter(DSLContext dsl, OrderingGroup group, long id) {
    if (JooqOrderingGroups.skips(dsl, group.topic())) {
      JooqOrderingGroups.skip(dsl, Map.of(id, group));
    }
  }
}
