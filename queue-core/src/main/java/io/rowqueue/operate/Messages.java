package io.rowqueue.operate;

import io.rowqueue.database.Transactions;
import io.rowqueue.message.MessageId;
import java.time.Duration;
import java.time.Instant;

/**
 * Single messages by their ids, for operators and producers. Thread-safe. Changes are made only to
 * messages that nobody has claimed. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails after every repetition.
 */
public interface Messages {

  /** Where the message is, by one snapshot of all tables. */
  FoundMessage find(MessageId id);

  /**
   * Takes the message out of the queue for good, with its failed attempts.
   *
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.database.CommitOutcomeUnknownException if the connection was lost during
   *     the COMMIT: the message is gone, or still there
   */
  void cancel(MessageId id);

  /**
   * Makes the message due {@code delay} from now, by the database's clock; zero makes it available.
   *
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.message.InvalidMessageException if {@code delay} is negative or above 100
   *     years
   */
  void reschedule(MessageId id, Duration delay);

  /**
   * Makes the message due at {@code instant}; one that has passed makes it available.
   *
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   */
  void reschedule(MessageId id, Instant instant);

  /**
   * Gives the message another priority.
   *
   * @param priority −128 to 127; lower is sooner
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.message.InvalidMessageException if {@code priority} is outside that range
   */
  void prioritize(MessageId id, int priority);

  /** The messages that {@code transactions} reach. */
  static Messages of(Transactions transactions) {
    return new JooqMessages(transactions);
  }
}
