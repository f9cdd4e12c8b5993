package io.rowqueue.tests;

import com.google.inject.Module;
import io.rowqueue.handler.BatchHandler;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.testkit.LambdaHandlers;

/** Binds handlers of orders that a test writes as lambdas. */
public final class Handlers {

  private Handlers() {}

  /** A payload of one number. */
  public record Order(int number) {}

  public static Module bind(String topic, MessageHandler<Order> handler) {
    return LambdaHandlers.bind(topic, Order.class, handler);
  }

  public static Module bind(String topic, MessageHandler<Order> handler, HandlerSettings settings) {
    return LambdaHandlers.bind(topic, Order.class, handler, settings);
  }

  public static Module bindBatch(
      String topic, BatchHandler<Order> handler, HandlerSettings settings) {
    return LambdaHandlers.bindBatch(topic, Order.class, handler, settings);
  }
}
