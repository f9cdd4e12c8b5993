package io.rowqueue.handler;

/**
 * Thrown by a handler to comply with a cancellation request: the transaction is rolled back, and
 * the message is deleted permanently. Without such a request it is a {@link PermanentFailure} like
 * any other, so that a handler's mistake cannot delete a message.
 */
public class CancelMessage extends PermanentFailure {

  /** The message says how far the handler had come. */
  public CancelMessage(String message) {
    super(message);
  }
}
