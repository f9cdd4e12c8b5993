package io.rowqueue;

/** The awaited message is a dead letter. Once it is redriven, it can be awaited again. */
public final class DeadLetterException extends QueueException {

  private final transient MessageId id;
  private final String reason;
  private final String detail;

  /** For RowQueue. */
  public DeadLetterException(MessageId id, String reason, String detail) {
    super(
        ("message %s has no result because it is a dead letter (%s): %s; `queue-worker dead-letters"
                + " redrive %s` returns it to the queue")
            .formatted(id, reason, detail, id));
    this.id = id;
    this.reason = reason;
    this.detail = detail;
  }

  /** The message's id. */
  public MessageId id() {
    return id;
  }

  /** The reason, such as {@code attempts-exhausted}. */
  public String reason() {
    return reason;
  }

  /** The details, usually the last attempt's error. */
  public String detail() {
    return detail;
  }
}
