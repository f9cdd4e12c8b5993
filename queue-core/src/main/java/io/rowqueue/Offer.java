package io.rowqueue;

import java.util.List;

/**
 * What became of a message that was offered.
 *
 * @param id its own, or that of the message that was there first
 * @param outcome whether it is a message of its own
 */
public record Offer(MessageId id, Outcome outcome) {

  /** The ids of {@code offers}, in their order. */
  static List<MessageId> ids(List<Offer> offers) {
    return offers.stream().map(Offer::id).toList();
  }

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
