package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Ways to name rows of the hot table in a statement. */
final class JooqMessages {

  /**
   * The hot table by primary key. Left to choose, MariaDB scans the whole of a small table, locks
   * strangers' rows and waits for them.
   */
  static final Table<?> BY_PRIMARY_KEY = QUEUE_MESSAGE.forceIndex("PRIMARY");

  /** The hot table in claim order. */
  static final Table<?> BY_CLAIM_KEY = QUEUE_MESSAGE.forceIndex("queue_message_claim");

  /**
   * Not due yet. What was due when it was written stays due: if the clock was ahead then, and has
   * been set back, it would wait though nobody asked for that.
   */
  static final Condition IS_LATER =
      QUEUE_MESSAGE
          .DUE_AT
          .gt(DatabaseClock.now())
          .and(QUEUE_MESSAGE.DUE_AT.gt(QUEUE_MESSAGE.CREATED_AT));

  private JooqMessages() {}

  /** What may be claimed of {@code topic}. */
  static Condition available(Topic topic) {
    return QUEUE_MESSAGE
        .TOPIC
        .eq(topic.name())
        .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.AVAILABLE)));
  }

  /** What waits in the lines of {@code topic}. */
  static Condition blocked(Topic topic) {
    return QUEUE_MESSAGE
        .TOPIC
        .eq(topic.name())
        .and(
            QUEUE_MESSAGE.STATE.in(
                DSL.inline(MessageState.BLOCKED), DSL.inline(MessageState.ARRIVING)));
  }

  /** Sorted, so that every statement on many rows locks them in one order. */
  static Condition byIds(Stream<Long> ids) {
    List<Long> sorted = ids.sorted().toList();
    return QUEUE_MESSAGE.ID.in(sorted);
  }

  /** The fence: this claim, and no later one of the same message. */
  static Condition held(Claim claim) {
    return QUEUE_MESSAGE
        .ID
        .eq(claim.id().value())
        .and(QUEUE_MESSAGE.LOCK_ID.eq(claim.lockId().value()))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(claim.number()));
  }
}
