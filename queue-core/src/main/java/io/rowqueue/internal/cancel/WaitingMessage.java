package io.rowqueue.internal.cancel;

import io.rowqueue.MessageId;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;

/** Statements on unclaimed messages. */
public final class WaitingMessage {

  private WaitingMessage() {}

  /** The fence: finds no row if {@code id} was claimed in the meantime. */
  public static Condition is(MessageId id) {
    return JooqWaitingMessage.is(id);
  }

  /**
   * Deletes the message with its failed attempts, and removes it from its ordering group.
   *
   * @return 0 if it was claimed, or is gone
   */
  public static int delete(DSLContext dsl, MessageId id) {
    return JooqWaitingMessage.deleteAll(dsl, List.of(id));
  }

  /**
   * Deletes several messages with their failed attempts, and removes them from their ordering
   * groups.
   *
   * @param sorted by ascending ids
   * @return how many were deleted
   */
  public static int deleteAll(DSLContext dsl, List<MessageId> sorted) {
    return JooqWaitingMessage.deleteAll(dsl, sorted);
  }
}
