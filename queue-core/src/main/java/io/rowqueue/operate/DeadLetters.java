package io.rowqueue.operate;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The dead-letter queue, for operators. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface DeadLetters {

  /** Up to {@code limit} dead letters of {@code topic}, the oldest message first. */
  List<DeadLetter> list(Topic topic, int limit);

  /**
   * Up to {@code limit} dead letters that match {@code filter} and whose ids are above {@code
   * after}, ordered by id, for paging.
   *
   * @param after the last id of the previous page, or 0
   */
  List<DeadLetter> list(DeadLetterFilter filter, long after, int limit);

  /** How many match {@code filter}. Reads an index entry for each. */
  long count(DeadLetterFilter filter);

  /** The dead letter of that id; empty if there is none. */
  Optional<DeadLetter> find(MessageId id);

  /** The existing dead letters among {@code ids}, ordered by id; some hundreds at most. */
  List<DeadLetter> findAll(Collection<MessageId> ids);

  /** Its failed attempts in order; empty if it has none, for example if it is undecodable. */
  List<FailedAttempt> attempts(MessageId id);

  /**
   * Makes the message available again, with its id and claim number kept and its attempts and lost
   * claims reset to zero.
   *
   * @return whether there was such a dead letter; false also if it was redriven concurrently
   */
  boolean redrive(MessageId id);

  /**
   * Redrives all of {@code ids} in one transaction: callers should limit it to some hundreds.
   *
   * @return how many there were
   */
  int redriveAll(Collection<MessageId> ids);

  /**
   * Deletes dead letters and their failed attempts permanently, in one transaction.
   *
   * @return how many there were
   */
  int discardAll(Collection<MessageId> ids);
}
