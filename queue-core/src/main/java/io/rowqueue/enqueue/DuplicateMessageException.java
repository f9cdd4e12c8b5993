package io.rowqueue.enqueue;

import io.rowqueue.QueueException;
import io.rowqueue.message.MessageId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A message was refused because another one holds its deduplication key, as its producer asked for.
 * Nothing of the call was written, and the caller's transaction can go on; until it ends, other
 * producers wait for the keys that the call has asked for.
 */
public final class DuplicateMessageException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final @Nullable Long first;

  /**
   * Says which key of which topic is held.
   *
   * @param first the message that has it; null if that is another one of the same call
   */
  public DuplicateMessageException(String message, @Nullable Long first) {
    super(message);
    this.first = first;
  }

  /** The message that holds the key; empty if that is another one of the same call. */
  public Optional<MessageId> first() {
    return Optional.ofNullable(first).map(MessageId::new);
  }
}
