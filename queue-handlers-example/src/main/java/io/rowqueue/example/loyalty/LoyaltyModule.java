package io.rowqueue.example.loyalty;

import com.google.inject.AbstractModule;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.SubscriptionBinder;

/** Credits points for each order that is placed. */
public final class LoyaltyModule extends AbstractModule {

  /** With shared commits, since a credit is one short statement. */
  public LoyaltyModule() {}

  // snippet: shop-subscription
  @Override
  protected void configure() {
    HandlerBinder.bind(
        binder(),
        CreditPointsHandler.TOPIC,
        CreditPointsHandler.class,
        HandlerSettings.defaults().withSharedCommit());
    SubscriptionBinder.bind(binder(), OrderPlaced.SOURCE, CreditPointsHandler.TOPIC);
  }
  // end snippet
}
