package io.rowqueue.cancel;

import static io.rowqueue.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.MessageState;
import io.rowqueue.message.MessageId;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;

/** A message that nobody has claimed, as statements see it. */
public final class WaitingMessage {

  private WaitingMessage() {}

  /** The fence: whoever has claimed {@code id} in the meantime makes this find no row. */
  public static Condition is(MessageId id) {
    return QUEUE_MESSAGE
        .ID
        .eq(id.value())
        .and(QUEUE_MESSAGE.STATE.in(MessageState.WAITING.stream().map(DSL::inline).toList()));
  }

  /**
   * Deletes it with its failed attempts.
   *
   * @return 0 if somebody has claimed it, or it is gone
   */
  public static int delete(DSLContext dsl, MessageId id) {
    int rows = dsl.deleteFrom(QUEUE_MESSAGE).where(is(id)).execute();
    if (rows == 1) {
      dsl.deleteFrom(QUEUE_ATTEMPT).where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value())).execute();
    }
    return rows;
  }
}
