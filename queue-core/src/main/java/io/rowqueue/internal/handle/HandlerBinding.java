package io.rowqueue.internal.handle;

import com.google.inject.Provider;
import io.rowqueue.Topic;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import java.lang.reflect.Type;

/**
 * A topic, the handler bound to it, and the code location of the binding. Created by {@link
 * HandlerBinder}.
 *
 * @param topic the topic whose messages it handles
 * @param handler provides the handler
 * @param kind the kind of handler
 * @param payloadType the type that the codec decodes to
 * @param settings the settings of the binding itself
 * @param source where it was bound, for error messages
 */
public record HandlerBinding(
    Topic topic,
    Provider<? extends Handler<?>> handler,
    HandlerKind kind,
    Type payloadType,
    HandlerSettings settings,
    String source) {}
