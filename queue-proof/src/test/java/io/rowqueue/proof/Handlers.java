package io.rowqueue.proof;

import com.google.inject.Module;
import io.rowqueue.handle.BatchHandler;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;

/** Binds handlers of orders that a test writes as lambdas. */
final class Handlers {

  private Handlers() {}

  /** A payload of one number. */
  record Order(int number) {}

  static Module bind(String topic, MessageHandler<Order> handler) {
    return LambdaHandlers.bind(topic, Order.class, handler);
  }

  static Module bind(String topic, MessageHandler<Order> handler, HandlerSettings settings) {
    return LambdaHandlers.bind(topic, Order.class, handler, settings);
  }

  static Module bindBatch(String topic, BatchHandler<Order> handler, HandlerSettings settings) {
    return LambdaHandlers.bindBatch(topic, Order.class, handler, settings);
  }
}
