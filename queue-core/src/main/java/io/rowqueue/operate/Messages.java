package io.rowqueue.operate;

import io.rowqueue.MessageId;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.OptionalLong;

/**
 * Individual messages by their ids, for operators and producers. Thread-safe. Only unclaimed
 * messages are changed. Every method throws {@link io.rowqueue.QueueException} if the database
 * still fails after all retries.
 */
public interface Messages {

  /** The message's location and details, from one snapshot of all tables. */
  MessageDetails find(MessageId id);

  /**
   * The length of a separately stored payload, in {@code queue_payload_chunk} or in a store; empty
   * if the message has none, or it is gone. The server reads the whole payload to count it.
   */
  OptionalLong externalBodyBytes(MessageId id);

  /**
   * Deletes the message permanently, with its failed attempts.
   *
   * @throws RefusedException if it is in flight, a dead letter, or does not exist; nothing has
   *     changed
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     the message may or may not be deleted
   */
  void cancel(MessageId id);

  /**
   * Deletes the unclaimed messages among {@code ids} in one transaction: callers should limit it to
   * some hundreds. The others are left unchanged without an error.
   *
   * @return how many were deleted
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     either all of them are deleted, or none
   */
  int cancelAll(Collection<MessageId> ids);

  /**
   * Deletes the message like {@link #cancel}; if a worker has claimed it, requests its
   * cancellation. Within about a second its handler can see the request ({@link
   * io.rowqueue.handler.HandlerContext#isCancelRequested}). If the handler then complies or fails
   * in any way, its writes are rolled back and the message is deleted. If it returns normally, the
   * message is acknowledged. A message that is released unhandled is deleted then.
   *
   * @param by the requester, for operators; at most 255 characters
   * @throws RefusedException if it is a dead letter, or does not exist; nothing has changed
   * @throws io.rowqueue.InvalidMessageException if {@code by} is too long
   * @throws io.rowqueue.CommitOutcomeUnknownException if the connection was lost during the COMMIT:
   *     it may or may not have happened
   */
  CancelOutcome requestCancel(MessageId id, String by);

  /**
   * Makes the message due {@code delay} from now, by the database's clock; zero makes it available.
   *
   * @throws RefusedException if it is in flight, a dead letter, or does not exist; nothing has
   *     changed
   * @throws io.rowqueue.InvalidMessageException if {@code delay} is negative or above 100 years
   */
  void reschedule(MessageId id, Duration delay);

  /**
   * Makes the message due at {@code instant}; an instant in the past makes it available.
   *
   * @throws RefusedException if it is in flight, a dead letter, or does not exist; nothing has
   *     changed
   * @throws io.rowqueue.InvalidMessageException if {@code instant} is after the year 9999
   */
  void reschedule(MessageId id, Instant instant);

  /**
   * Changes the message's priority.
   *
   * @param priority −128 to 127; lower is claimed first
   * @throws RefusedException if it is in flight, a dead letter, or does not exist; nothing has
   *     changed
   * @throws io.rowqueue.InvalidMessageException if {@code priority} is outside that range
   */
  void prioritize(MessageId id, int priority);
}
