package io.rowqueue.handle;

import io.rowqueue.message.Topic;

/**
 * Another name of a handler's topic. Made by {@link HandlerBinder#alias}.
 *
 * @param alias what messages were or are enqueued to, too
 * @param topic what the handler is bound to
 * @param source where it was bound, for error messages
 */
public record HandlerAlias(Topic alias, Topic topic, String source) {}
