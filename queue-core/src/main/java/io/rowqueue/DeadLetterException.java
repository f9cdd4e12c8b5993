package io.rowqueue;

/** The awaited message is a dead letter. Once it is redriven, it can be awaited again. */
public final class DeadLetterException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final transient MessageId id;
  private final String reason;
  private final String detail;

  /** For RowQueue. */
  public DeadLetterException(MessageId id, String reason, String detail) {
    super(
        ("message %s has no result, it is a dead letter (%s): %s; `queue-worker dead-letters"
                + " redrive %s` sends it back")
            .formatted(id, reason, detail, id));
    this.id = id;
    this.reason = reason;
    this.detail = detail;
  }

  /** The message's. */
  public MessageId id() {
    return id;
  }

  /** Such as {@code attempts-exhausted}. */
  public String reason() {
    return reason;
  }

  /** What showed it, mostly the last attempt's error. */
  public String detail() {
    return detail;
  }
}
