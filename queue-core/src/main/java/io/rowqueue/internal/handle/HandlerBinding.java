package io.rowqueue.internal.handle;

import com.google.inject.Provider;
import io.rowqueue.Topic;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import java.lang.reflect.Type;

/**
 * One topic, the handler bound to it, and where the binding stands. Made by {@link HandlerBinder}.
 *
 * @param topic what the handler handles
 * @param handler gives the handler
 * @param kind which kind of handler it is
 * @param payloadType what the codec decodes to
 * @param settings what the binding sets itself
 * @param source where it was bound, for error messages
 */
public record HandlerBinding(
    Topic topic,
    Provider<? extends Handler<?>> handler,
    HandlerKind kind,
    Type payloadType,
    HandlerSettings settings,
    String source) {}
