package io.rowqueue.internal.deadletter;

import io.rowqueue.MessageId;
import io.rowqueue.operate.DeadLetterReason;
import org.jooq.DSLContext;

/** Sets messages aside inside a transaction that already holds their rows. Thread-safe. */
public interface DeadLetterWriter {

  /**
   * Copies the message to the dead letters and deletes it; its failed attempts stay where they are.
   * The caller has locked the row and checked the fence.
   */
  void write(DSLContext transaction, MessageId id, Verdict verdict, Counts counts);

  /**
   * Why, and by whom.
   *
   * @param reason the reason
   * @param detail what people should read; at most 4,000 characters are kept
   * @param worker the lock_id of the worker that decided
   */
  record Verdict(DeadLetterReason reason, String detail, String worker) {}

  /**
   * What the dead letter counts.
   *
   * @param attempts how many handlings have failed, the last one included
   * @param lost how many claims have died with their workers, the last one included
   */
  record Counts(int attempts, int lost) {}
}
