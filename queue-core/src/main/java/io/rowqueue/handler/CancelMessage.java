package io.rowqueue.handler;

/**
 * Thrown by a handler that heeds a wish to stop: the transaction is rolled back, and the message is
 * out of the queue for good. Without such a wish it is a {@link PermanentFailure} like any other,
 * so that no message vanishes by a handler's mistake.
 */
public class CancelMessage extends PermanentFailure {

  private static final long serialVersionUID = 1L;

  /** Says how far it had come. */
  public CancelMessage(String message) {
    super(message);
  }
}
