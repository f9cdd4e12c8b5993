package io.rowqueue.internal.cancel;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.Transactions;

/**
 * Brings wishes about whose messages nobody holds. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface Cancellations {

  /**
   * Deletes a message that nobody has claimed, and the wish for it.
   *
   * @return false if somebody has claimed it, it is gone, or the wish is; nothing has changed
   */
  boolean apply(MessageId id);

  /** Deletes a wish whose message is in the queue no more. */
  void forget(MessageId id);

  /** The wishes that {@code transactions} reach. */
  static Cancellations of(Transactions transactions) {
    return new JooqCancellations(transactions);
  }
}
