package io.rowqueue;

/**
 * No result within the time to wait. The message stays in the queue, and can be awaited again by
 * its id.
 */
public final class AwaitTimeoutException extends QueueException {

  private final transient MessageId id;

  AwaitTimeoutException(MessageId id) {
    super(
        "message %s has no result yet; it stays in the queue, and can be awaited again by its id"
            .formatted(id));
    this.id = id;
  }

  /** The message's id. */
  public MessageId id() {
    return id;
  }
}
