package io.rowqueue.internal.claim;

import io.rowqueue.MessageId;

/**
 * Identifies one claim of a message.
 *
 * @param id the message
 * @param number the claim number
 */
public record ClaimKey(MessageId id, int number) {

  /** The key of {@code claim}. */
  public static ClaimKey of(Claim claim) {
    return new ClaimKey(claim.id(), claim.number());
  }
}
