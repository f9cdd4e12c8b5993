package io.rowqueue.handler;

import io.rowqueue.BatchSettings;
import io.rowqueue.NewMessage;
import java.util.Collection;
import java.util.List;

/**
 * The batch of the message that is handled. What a handler adds is encoded at once, and enqueued
 * and counted by the ack of its message, in its transaction; a handling that fails adds nothing.
 * Confined to the handler's thread.
 *
 * <p>Messages have neither ordering keys nor deduplication keys, and of one handling at most 16 MiB
 * together.
 */
public interface MemberContext {

  /** Which batch. */
  long id();

  /**
   * Adds {@code messages} to it.
   *
   * @throws io.rowqueue.InvalidMessageException if one is refused, or they are too large
   */
  void add(Collection<NewMessage> messages);

  /** Adds one. */
  default void add(NewMessage message) {
    add(List.of(message));
  }

  /**
   * Adds a batch of {@code messages}, which is one member: its completion message takes that place,
   * and without one its last settlement ends it.
   *
   * @throws io.rowqueue.InvalidMessageException if one is refused, or they are too large
   */
  void addBatch(BatchSettings settings, Collection<NewMessage> messages);
}
