package io.rowqueue.handler;

import java.util.List;

/**
 * What a team writes where many messages of a topic are cheaper together: one statement for a
 * hundred rows, one request for a hundred documents. Bound as a {@link MessageHandler} is; {@link
 * HandlerSettings#withBatchSize} says how many at most.
 *
 * <p><b>Transaction.</b> All messages of a batch are handled in one transaction, which every {@link
 * Delivery#context()} gives; when the handler returns, all of them are deleted in it, exactly once,
 * or, where one of them is no longer this worker's, none: everything is rolled back and the rest is
 * given back, uncounted.
 *
 * <p><b>Failing.</b> When a batch of several fails, everything is rolled back and each message is
 * handled again at once in a batch of its own, so that only the one that cannot be handled pays. A
 * message that has failed before, or whose earlier claim was lost, always comes alone. A batch
 * waits for nothing: it is what the worker holds at that moment, and may be a single message.
 *
 * <p><b>Threads.</b> As for {@link MessageHandler}; the timeout is the whole batch's.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface BatchHandler<P> extends Handler<P> {

  /**
   * Handles all of them.
   *
   * @param batch at least one message, in the order of their claims; unmodifiable
   * @throws Exception to say that it failed; the outcomes are those of {@link MessageHandler}
   */
  void handle(List<Delivery<P>> batch) throws Exception;
}
