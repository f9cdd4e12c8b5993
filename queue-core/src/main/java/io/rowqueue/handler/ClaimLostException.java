package io.rowqueue.handler;

import io.rowqueue.QueueException;

/**
 * The claim was somebody else's before it could be settled: its lease ran out, or its worker was
 * declared dead. Whatever was done under it must leave no trace, and another worker handles the
 * message.
 */
public final class ClaimLostException extends QueueException {

  private static final long serialVersionUID = 1L;

  /**
   * For RowQueue.
   *
   * @param claim what was lost, for the message
   * @param before what it was lost before, such as {@code ack}
   */
  public ClaimLostException(Object claim, String before) {
    super(
        "%s was lost before its %s; everything is rolled back, and its new owner handles it"
            .formatted(claim, before));
  }
}
