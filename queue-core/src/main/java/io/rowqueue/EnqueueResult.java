package io.rowqueue;

/**
 * The result of enqueuing one message.
 *
 * @param id its own, or that of the first message with its deduplication key
 * @param outcome whether it was inserted
 */
public record EnqueueResult(MessageId id, Outcome outcome) {

  /** Whether a message was inserted, skipped, or merged into another. */
  public enum Outcome {
    /** It is a new message. */
    INSERTED,
    /** Its key was held, so it was skipped. */
    DUPLICATE,
    /** Its key was held, and the first message has taken over its content. */
    REPLACED
  }
}
