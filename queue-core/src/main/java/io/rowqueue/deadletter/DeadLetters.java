package io.rowqueue.deadletter;

import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import java.util.List;
import java.util.Optional;

/**
 * The messages that were set aside, for operators. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface DeadLetters {

  /** Up to {@code limit} dead letters of {@code topic}, the oldest message first. */
  List<DeadLetter> list(Topic topic, int limit);

  /** The dead letter of that id; empty if there is none. */
  Optional<DeadLetter> find(MessageId id);

  /** Its failed attempts, the first first; empty if it has none, as an undecodable one. */
  List<FailedAttempt> attempts(MessageId id);

  /**
   * Makes the message available again, with its id and claim number kept and its attempts and lost
   * claims at zero.
   *
   * @return whether there was such a dead letter; false also if somebody else redrove it first
   */
  boolean redrive(MessageId id);
}
