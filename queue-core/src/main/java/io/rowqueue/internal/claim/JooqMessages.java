package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.Table;
import org.jooq.impl.DSL;

/** Conditions and tables that address rows of the hot table. */
final class JooqMessages {

  /**
   * The hot table by primary key. Without the hint MariaDB scans a small table completely, and
   * locks and waits for unrelated rows.
   */
  static final Table<?> BY_PRIMARY_KEY = QUEUE_MESSAGE.forceIndex("PRIMARY");

  /** The hot table in claim order. */
  static final Table<?> BY_CLAIM_KEY = QUEUE_MESSAGE.forceIndex("queue_message_claim");

  /**
   * Not due yet. A message that was due when it was written stays due. If the clock ran ahead then
   * and has been set back since, it would otherwise wait without reason.
   */
  static final Condition IS_LATER =
      QUEUE_MESSAGE
          .DUE_AT
          .gt(DatabaseClock.now())
          .and(QUEUE_MESSAGE.DUE_AT.gt(QUEUE_MESSAGE.CREATED_AT));

  private JooqMessages() {}

  /** Claimable messages of {@code topic}. */
  static Condition available(Topic topic) {
    return inState(topic.name(), MessageState.AVAILABLE);
  }

  /** Messages in {@code state} of the topic with this name, which SQL may have written. */
  static Condition inState(String topic, byte state) {
    return QUEUE_MESSAGE.TOPIC.eq(topic).and(QUEUE_MESSAGE.STATE.eq(DSL.inline(state)));
  }

  /** Sorted, so that all statements lock their rows in one order. */
  static Condition byIds(Stream<Long> ids) {
    List<Long> sorted = ids.sorted().toList();
    return QUEUE_MESSAGE.ID.in(sorted);
  }

  /** The fence: matches this claim, and no later claim of the same message. */
  static Condition held(Claim claim) {
    return QUEUE_MESSAGE
        .ID
        .eq(claim.id().value())
        .and(QUEUE_MESSAGE.LOCK_ID.eq(claim.lockId().value()))
        .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(claim.number()));
  }
}
