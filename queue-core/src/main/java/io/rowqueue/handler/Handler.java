package io.rowqueue.handler;

/**
 * A handler that {@link HandlerBinder} binds to a topic: a {@link MessageHandler} is called for
 * each message, a {@link ResultHandler} also returns a result, and a {@link BatchHandler} is called
 * for many messages at once.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
public sealed interface Handler<P> permits MessageHandler, ResultHandler, BatchHandler {}
