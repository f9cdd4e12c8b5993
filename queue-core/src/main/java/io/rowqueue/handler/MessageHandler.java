package io.rowqueue.handler;

/**
 * What a team writes: the work for the messages of one topic.
 *
 * <p><b>Transaction.</b> A transactional handler (the default) runs inside one database
 * transaction, {@link HandlerContext#transaction()}; when it returns, RowQueue deletes the message
 * in that same transaction and commits, so its writes and the deletion happen together, exactly
 * once. Whatever it does outside that transaction (an e-mail, an HTTP call) happens at least once;
 * {@link HandlerContext#idempotencyKey()} lets the other side tell a repetition.
 *
 * <p><b>Outcomes.</b> Returning acknowledges the message. Throwing rolls the transaction back:
 * {@link PermanentFailure} makes a dead letter at once, {@link RetryAfter} retries after the given
 * time, {@link ReleaseMessage} gives the message back without counting an attempt, and anything
 * else retries with the binding's backoff until its attempts are used up.
 *
 * <p><b>Threads.</b> One instance serves many messages at once; it must be thread-safe. A handler
 * that runs over its binding's timeout is interrupted, and then its connection is cut.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface MessageHandler<P> extends Handler<P> {

  /**
   * Handles one message.
   *
   * @throws Exception to say that it failed; see the outcomes above
   */
  void handle(P payload, HandlerContext context) throws Exception;
}
