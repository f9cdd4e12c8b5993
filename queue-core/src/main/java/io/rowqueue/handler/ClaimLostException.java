package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The claim was lost before it could be settled: the worker's lease expired, the worker was
 * declared dead, or somebody deleted the message. Everything written under the claim is rolled
 * back; a message that was not deleted is handled by another worker.
 */
public final class ClaimLostException extends QueueException {

  /**
   * For RowQueue.
   *
   * @param claim the lost claim, for the message
   * @param before the settlement before which it was lost, such as {@code ack}
   */
  public ClaimLostException(Object claim, String before) {
    super(
        "%s was lost before its %s, to another worker or because it was deleted; everything is rolled back"
            .formatted(claim, before));
  }
}
