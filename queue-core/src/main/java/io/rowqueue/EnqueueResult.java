package io.rowqueue;

/**
 * What became of a message that was offered.
 *
 * @param id its own, or that of the message that was there first
 * @param outcome whether it is a message of its own
 */
public record EnqueueResult(MessageId id, Outcome outcome) {

  /** Whether a message was inserted, left out, or taken into another. */
  public enum Outcome {
    /** It is a new message. */
    INSERTED,
    /** Its key was held, and it was left out. */
    DUPLICATE,
    /** Its key was held, and the first message has its content now. */
    REPLACED
  }
}
