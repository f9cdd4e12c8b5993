package io.rowqueue.handler;

/**
 * What {@link HandlerBinder} binds to a topic: a {@link MessageHandler}, which is called for each
 * message, a {@link ResultHandler}, which gives something back, or a {@link BatchHandler}, which is
 * called for many at once.
 *
 * @param <P> the payload's type, which the codec decodes; {@code byte[]} for the raw bytes
 */
public sealed interface Handler<P> permits MessageHandler, ResultHandler, BatchHandler {}
