package io.rowqueue.testkit;

import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
import com.google.inject.util.Types;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.ResultHandler;

/**
 * Modules for handlers written as lambdas. Java does not keep a lambda's payload type, so it is
 * passed explicitly.
 */
public final class LambdaHandlers {

  private LambdaHandlers() {}

  /** Binds {@code handler} to {@code topic} with the defaults. */
  public static <P> Module bind(String topic, Class<P> payload, MessageHandler<P> handler) {
    return bind(topic, payload, handler, HandlerSettings.defaults());
  }

  /** Binds {@code handler} to {@code topic}. */
  public static <P> Module bind(
      String topic, Class<P> payload, MessageHandler<P> handler, HandlerSettings settings) {
    return bind(topic, type(MessageHandler.class, payload), handler, settings);
  }

  /** Binds {@code handler} to {@code topic} as a batch handler. */
  public static <P> Module bindBatch(
      String topic, Class<P> payload, BatchHandler<P> handler, HandlerSettings settings) {
    return bind(topic, type(BatchHandler.class, payload), handler, settings);
  }

  /** Binds {@code handler}, which returns a result, to {@code topic}. */
  public static <P> Module bindResult(
      String topic, Class<P> payload, ResultHandler<P, ?> handler, HandlerSettings settings) {
    TypeLiteral<ResultHandler<P, ?>> type = type(ResultHandler.class, payload, Object.class);
    return bind(topic, type, handler, settings);
  }

  private static <H extends Handler<?>> Module bind(
      String topic, TypeLiteral<H> type, H handler, HandlerSettings settings) {
    Key<H> key = Key.get(type, Names.named(topic));
    return binder -> {
      binder.bind(key).toInstance(handler);
      HandlerBinder.bind(binder, topic, key, settings);
    };
  }

  /** Builds the generic type, which Java erases. */
  @SuppressWarnings("unchecked")
  private static <H> TypeLiteral<H> type(Class<?> handler, Class<?>... arguments) {
    return (TypeLiteral<H>) TypeLiteral.get(Types.newParameterizedType(handler, arguments));
  }
}
