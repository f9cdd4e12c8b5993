package io.rowqueue.handler;

import java.util.List;

/**
 * Handles many messages of a topic in one call, for work that is cheaper together: one statement
 * for a hundred rows, one request for a hundred documents. Bound like a {@link MessageHandler};
 * {@link HandlerSettings#withBatchSize} sets the maximum size.
 *
 * <p><b>Transaction.</b> All messages of a batch are handled in one transaction, which every {@link
 * Delivery#context()} returns. When the handler returns, all of them are deleted in it, exactly
 * once. If this worker has lost one of the claims, none is deleted: everything is rolled back and
 * the other messages are released without counting an attempt.
 *
 * <p><b>Failures.</b> If a batch of several messages fails, everything is rolled back and each
 * message is handled again at once in a batch of its own, so that only the message that cannot be
 * handled fails. Retried messages and messages with a lost claim are always processed individually.
 * A batch does not wait to fill up: it contains the messages that the worker holds at that moment,
 * possibly a single one.
 *
 * <p><b>Threads.</b> As for {@link MessageHandler}; the timeout covers the whole batch.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface BatchHandler<P> extends Handler<P> {

  /**
   * Handles all of them.
   *
   * @param batch at least one message, in the order of their claims; unmodifiable
   * @throws Exception if it failed; the outcomes are those of {@link MessageHandler}
   */
  void handle(List<Delivery<P>> batch) throws Exception;
}
