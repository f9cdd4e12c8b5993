package io.rowqueue.handler;

/**
 * Handles the messages of one topic; implemented by the application.
 *
 * <p><b>Transaction.</b> A transactional handler (the default) runs inside one database
 * transaction, {@link HandlerContext#transaction()}. When it returns, RowQueue deletes the message
 * in that transaction and commits, so its writes and the deletion happen together, exactly once.
 * Effects outside that transaction (an e-mail, an HTTP call) happen at least once; {@link
 * HandlerContext#idempotencyKey()} lets the other system detect repetitions.
 *
 * <p><b>Outcomes.</b> Returning acknowledges the message. Throwing rolls the transaction back:
 * {@link PermanentFailure} dead-letters the message at once, {@link RetryAfter} retries after the
 * given time, {@link ReleaseMessage} releases the message without counting an attempt, and any
 * other exception retries with the binding's backoff until the maximum number of attempts.
 *
 * <p><b>Threads.</b> One instance handles many messages at once, so it must be thread-safe. A
 * handler that exceeds its binding's timeout is interrupted, and then its connection is cut.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface MessageHandler<P> extends Handler<P> {

  /**
   * Handles one message.
   *
   * @throws Exception if it failed; see the outcomes above
   */
  void handle(P payload, HandlerContext context) throws Exception;
}
