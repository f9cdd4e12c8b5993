package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.OptionalLong;

/**
 * Single messages by their ids, for operators and producers. Thread-safe. Changes are made only to
 * messages that nobody has claimed. Every method throws {@link io.rowqueue.QueueException} if the
 * database fails after every repetition.
 */
public interface Messages {

  /** Where the message is, by one snapshot of all tables. */
  MessageDetails find(MessageId id);

  /**
   * How long a payload is that lies beside its message's row, in {@code queue_payload_chunk} or in
   * a store; empty if none does, or none does any more. The server reads all of it to count it.
   */
  OptionalLong externalBodyBytes(MessageId id);

  /**
   * Takes the message out of the queue for good, with its failed attempts.
   *
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     the message is gone, or still there
   */
  void cancel(MessageId id);

  /**
   * Does the same for those of {@code ids} that nobody has claimed, in one transaction: callers
   * keep it to some hundreds. The others are left as they are, without a word.
   *
   * @return how many there were
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     all of them are gone, or none is
   */
  int cancelAll(Collection<MessageId> ids);

  /**
   * Takes the message out of the queue like {@link #cancel}; if a worker has claimed it, asks that
   * worker to. Within about a second its handler can see the wish ({@link
   * io.rowqueue.handler.HandlerContext#isCancelRequested}). One that heeds it, or fails in any way,
   * ends with its writes rolled back and the message gone; one that returns has won, and is acked.
   * A message that is given back unhandled is gone then.
   *
   * @param by who asks, for people who read it later; at most 255 characters
   * @throws RefusedException if it is a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.InvalidMessageException if {@code by} is too long
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     it happened or not
   */
  CancelOutcome requestCancel(MessageId id, String by);

  /**
   * Makes the message due {@code delay} from now, by the database's clock; zero makes it available.
   *
   * @throws RefusedException if it is in flight, a dead letter, or not there; nothing has changed
   * @throws io.rowqueue.InvalidMessageException if {@code delay} is negative or above 100 years
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
   * @throws io.rowqueue.InvalidMessageException if {@code priority} is outside that range
   */
  void prioritize(MessageId id, int priority);
}
