package io.rowqueue.cancel;

import static io.rowqueue.table.Tables.QUEUE_ATTEMPT;
import static io.rowqueue.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.claim.MessageState;
import io.rowqueue.message.MessageId;
import io.rowqueue.order.Line;
import io.rowqueue.order.Lines;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** A message that nobody has claimed, as statements see it. */
final class JooqWaitingMessage {

  private JooqWaitingMessage() {}

  /** The fence: whoever has claimed {@code id} in the meantime makes this find no row. */
  static Condition is(MessageId id) {
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
  static int delete(DSLContext dsl, MessageId id) {
    int rows =
        dsl.deleteFrom(QUEUE_MESSAGE)
            .where(is(id))
            .and(QUEUE_MESSAGE.ORDERING_KEY.isNull())
            .execute();
    Line line = rows == 1 ? null : deleteInLine(dsl, id);
    if (rows == 0 && line == null) {
      return 0;
    }
    dsl.deleteFrom(QUEUE_ATTEMPT).where(QUEUE_ATTEMPT.MESSAGE_ID.eq(id.value())).execute();
    if (line != null) {
      Lines.left(dsl, line, id.value());
    }
    return 1;
  }

  /**
   * Asked without a lock, since neither changes: a locking look would keep a message that somebody
   * has claimed until the COMMIT.
   */
  private static @Nullable Line deleteInLine(DSLContext dsl, MessageId id) {
    Line line =
        dsl.select(QUEUE_MESSAGE.TOPIC, QUEUE_MESSAGE.ORDERING_KEY)
            .from(QUEUE_MESSAGE)
            .where(QUEUE_MESSAGE.ID.eq(id.value()))
            .and(QUEUE_MESSAGE.ORDERING_KEY.isNotNull())
            .fetchOne(row -> new Line(row.value1(), row.value2()));
    if (line == null || dsl.deleteFrom(QUEUE_MESSAGE).where(is(id)).execute() == 0) {
      return null;
    }
    return line;
  }
}
