package io.rowqueue.proof;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
import io.rowqueue.handle.BatchHandler;
import io.rowqueue.handle.Handler;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;

/** Binds handlers that a test writes as lambdas. */
final class Handlers {

  private Handlers() {}

  /** A payload of one number. */
  record Order(int number) {}

  static Module bind(String topic, MessageHandler<Order> handler) {
    return bind(topic, handler, HandlerSettings.defaults());
  }

  static Module bind(String topic, MessageHandler<Order> handler, HandlerSettings settings) {
    return bind(topic, new TypeLiteral<MessageHandler<Order>>() {}, handler, settings);
  }

  static Module bindBatch(String topic, BatchHandler<Order> handler, HandlerSettings settings) {
    return bind(topic, new TypeLiteral<BatchHandler<Order>>() {}, handler, settings);
  }

  private static <H extends Handler<Order>> Module bind(
      String topic, TypeLiteral<H> type, H handler, HandlerSettings settings) {
    return new AbstractModule() {
      @Override
      protected void configure() {
        Key<H> key = Key.get(type, Names.named(topic));
        bind(key).toInstance(handler);
        HandlerBinder.bind(binder(), topic, key, settings);
      }
    };
  }
}
