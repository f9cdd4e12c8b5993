package io.rowqueue.internal.deadletter;

import io.rowqueue.MessageId;
import io.rowqueue.operate.DeadLetterReason;
import org.jooq.DSLContext;

/**
 * Moves messages to the dead-letter queue, inside a transaction that already holds their rows.
 * Thread-safe.
 */
public interface DeadLetterWriter {

  /**
   * Copies the message to the dead letters and deletes it; its failed attempts stay in their table.
   * The caller has locked the row and checked the fence.
   */
  void write(DSLContext transaction, MessageId id, Reason verdict, Counts counts);

  /**
   * The reason for a dead letter.
   *
   * @param reason the reason
   * @param detail a text for operators; at most 4,000 characters are kept
   * @param worker the lock_id of the worker that decided
   */
  record Reason(DeadLetterReason reason, String detail, String worker) {}

  /**
   * The counters of a dead letter.
   *
   * @param attempts failed attempts, including the last
   * @param lost lost claims, including the last
   */
  record Counts(int attempts, int lost) {}
}
