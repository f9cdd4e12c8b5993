package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The claim was lost before it could be settled: the worker's lease expired, or the worker was
 * declared dead. Everything written under the claim is rolled back, and another worker handles the
 * message.
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
        "%s was lost before its %s; everything is rolled back, and another worker handles it"
            .formatted(claim, before));
  }
}
