package io.rowqueue.handler;

import org.jspecify.annotations.Nullable;

/**
 * A {@link MessageHandler} that returns a result, for processes that await the message. The result
 * is stored if the binding sets {@link HandlerSettings#withResults}, and discarded otherwise.
 *
 * <p>The result is encoded by the binding's codec and committed with the handler's writes and the
 * message's deletion: there is at most one, and never without the handler's effect. A result that
 * cannot be encoded, or is too large, is a {@link PermanentFailure}.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 * @param <R> the result's type, which the codec encodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface ResultHandler<P, R> extends Handler<P> {

  /**
   * Handles one message.
   *
   * @return the result; null is a valid result
   * @throws Exception if it failed; the outcomes are those of {@link MessageHandler}
   */
  @Nullable R handle(P payload, HandlerContext context) throws Exception;
}
