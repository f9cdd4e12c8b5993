package io.rowqueue.example.order;

import com.google.inject.AbstractModule;
import io.rowqueue.handler.HandlerBinder;

/** Binds the handler of {@code order.place}. */
public final class OrderModule extends AbstractModule {

  /** With the worker's defaults. */
  public OrderModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(binder(), PlaceOrder.TOPIC, PlaceOrderHandler.class);
  }
}
