package io.rowqueue.handler;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import java.util.Collection;
import java.util.List;

/**
 * The batch of the message that is being handled. Added messages are encoded at once, and enqueued
 * and counted by the ack of the current message, in its transaction; a failed attempt adds nothing.
 * Confined to the handler's thread.
 *
 * <p>Added messages have neither ordering keys nor deduplication keys, and at most 16 MiB together
 * per handled message.
 */
public interface MemberContext {

  /** The batch's id. */
  long id();

  /**
   * Adds {@code messages} as members.
   *
   * @throws io.rowqueue.InvalidMessageException if one is invalid, or they are too large
   */
  void add(Collection<NewMessage> messages);

  /** Adds one member. */
  default void add(NewMessage message) {
    add(List.of(message));
  }

  /**
   * Adds a nested batch of {@code messages} as one member. The member ends with the nested batch's
   * completion message, or without one when its last message is settled.
   *
   * @throws io.rowqueue.InvalidMessageException if one is invalid, or they are too large
   */
  void addBatch(BatchSettings settings, Collection<NewMessage> messages);
}
