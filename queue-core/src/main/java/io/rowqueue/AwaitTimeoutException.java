package io.rowqueue;

/** The time to wait is over. The message goes on, and can be awaited again by its id. */
public final class AwaitTimeoutException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final transient MessageId id;

  AwaitTimeoutException(MessageId id) {
    super(
        "message %s has no result yet; it goes on, and can be awaited again by its id"
            .formatted(id));
    this.id = id;
  }

  /** The message's. */
  public MessageId id() {
    return id;
  }
}
