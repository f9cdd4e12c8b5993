package io.rowqueue.internal.cancel;

import io.rowqueue.MessageId;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;

/** A message that nobody has claimed, in statements on the messages' table. */
public final class WaitingMessage {

  private WaitingMessage() {}

  /** The fence: whoever has claimed {@code id} in the meantime makes this find no row. */
  public static Condition is(MessageId id) {
    return JooqWaitingMessage.is(id);
  }

  /**
   * Deletes it with its failed attempts, and takes it out of its line.
   *
   * @return 0 if somebody has claimed it, or it is gone
   */
  public static int delete(DSLContext dsl, MessageId id) {
    return JooqWaitingMessage.deleteAll(dsl, List.of(id));
  }

  /**
   * The same for several.
   *
   * @param sorted by ascending ids
   * @return how many were deleted
   */
  public static int deleteAll(DSLContext dsl, List<MessageId> sorted) {
    return JooqWaitingMessage.deleteAll(dsl, sorted);
  }
}
