package io.rowqueue.operate;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The messages that were set aside, for operators. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface DeadLetters {

  /** Up to {@code limit} dead letters of {@code topic}, the oldest message first. */
  List<DeadLetter> list(Topic topic, int limit);

  /**
   * Up to {@code limit} dead letters that {@code filter} means and whose ids lie above {@code
   * after}, in the order of their ids, so that all of them can be walked through in pages.
   *
   * @param after the last id of the page before, or 0
   */
  List<DeadLetter> list(DeadLetterFilter filter, long after, int limit);

  /** How many {@code filter} means. Reads an entry for each. */
  long count(DeadLetterFilter filter);

  /** The dead letter of that id; empty if there is none. */
  Optional<DeadLetter> find(MessageId id);

  /** Those of {@code ids} that there are, in the order of their ids; some hundreds at most. */
  List<DeadLetter> findAll(Collection<MessageId> ids);

  /** Its failed attempts, the first first; empty if it has none, as an undecodable one. */
  List<FailedAttempt> attempts(MessageId id);

  /**
   * Makes the message available again, with its id and claim number kept and its attempts and lost
   * claims at zero.
   *
   * @return whether there was such a dead letter; false also if somebody else redrove it first
   */
  boolean redrive(MessageId id);

  /**
   * Does the same for all of {@code ids}, in one transaction: callers keep it to some hundreds.
   *
   * @return how many there were
   */
  int redriveAll(Collection<MessageId> ids);

  /**
   * Deletes dead letters and their failed attempts for good, in one transaction.
   *
   * @return how many there were
   */
  int discardAll(Collection<MessageId> ids);
}
