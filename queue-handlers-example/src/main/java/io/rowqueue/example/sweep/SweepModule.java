package io.rowqueue.example.sweep;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.example.ShopDatabase;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import java.time.Duration;

/** Binds the handlers of {@code orders.sweep} and {@code order.unpaid}. */
public final class SweepModule extends AbstractModule {

  /**
   * Finds the shop's tables through the environment, asks the desk in them, and sweeps by the
   * defaults, unless another module binds these.
   */
  public SweepModule() {}

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), ShopDatabase.class)
        .setDefault()
        .toInstance(ShopDatabase.fromEnvironment());
    OptionalBinder.newOptionalBinder(binder(), SweepConfig.class)
        .setDefault()
        .toInstance(SweepConfig.defaults());
    OptionalBinder.newOptionalBinder(binder(), PaymentDesk.class)
        .setDefault()
        .to(TablePaymentDesk.class);
    HandlerBinder.bind(binder(), SweepOrders.TOPIC, SweepOrdersHandler.class);
    HandlerBinder.bind(
        binder(),
        UnpaidOrder.TOPIC,
        UnpaidOrderHandler.class,
        HandlerSettings.defaults().withoutTransaction().withTimeout(Duration.ofMinutes(1)));
  }
}
