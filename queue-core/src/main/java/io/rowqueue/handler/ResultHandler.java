package io.rowqueue.handler;

import org.jspecify.annotations.Nullable;

/**
 * A {@link MessageHandler} that gives something back, to whoever awaits the message. What it
 * returns is kept where its binding says {@link HandlerSettings#withResults}, and dropped
 * otherwise, so that one class may serve both.
 *
 * <p>The result is encoded by the binding's codec and committed with the handler's writes and the
 * message's deletion: there is at most one, and none without the effect. One that cannot be
 * encoded, or is too large, is a {@link PermanentFailure}.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 * @param <R> the result's type, which the codec encodes; {@code byte[]} for the raw bytes
 */
@FunctionalInterface
public non-sealed interface ResultHandler<P, R> extends Handler<P> {

  /**
   * Handles one message.
   *
   * @return null is a result, too
   * @throws Exception to say that it failed; the outcomes are those of {@link MessageHandler}
   */
  @Nullable R handle(P payload, HandlerContext context) throws Exception;
}
