package io.rowqueue.handler;

import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.Claim;

/**
 * The claim was somebody else's before it could be settled: its lease ran out, or its worker was
 * declared dead. Whatever was done under it must leave no trace, and another worker handles the
 * message.
 */
public final class ClaimLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  private final Claim claim;

  /** Says which claim was lost, and before what. */
  public ClaimLostException(Claim claim, String before) {
    super(
        "%s was lost before its %s; everything is rolled back, and its new owner handles it"
            .formatted(claim, before));
    this.claim = claim;
  }

  /** The claim that was lost. */
  public Claim claim() {
    return claim;
  }
}
