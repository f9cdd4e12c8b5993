package io.rowqueue.proof;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.TypeLiteral;
import com.google.inject.name.Names;
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
    return new AbstractModule() {
      @Override
      protected void configure() {
        Key<MessageHandler<Order>> key =
            Key.get(new TypeLiteral<MessageHandler<Order>>() {}, Names.named(topic));
        bind(key).toInstance(handler);
        HandlerBinder.bind(binder(), topic, key, settings);
      }
    };
  }
}
