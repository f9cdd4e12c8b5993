package io.rowqueue.example.webhook;

import com.google.inject.AbstractModule;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.SubscriptionBinder;
import java.time.Duration;

/** Binds the handler of {@code webhook.post}, and tells partners of orders. */
public final class WebhookModule extends AbstractModule {

  /** Posts without a transaction, and with a timeout above the HTTP client's own. */
  public WebhookModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(
        binder(),
        PostWebhook.TOPIC,
        PostWebhookHandler.class,
        HandlerSettings.defaults().withoutTransaction().withTimeout(Duration.ofMinutes(1)));
    HandlerBinder.bind(
        binder(),
        TellPartnersHandler.TOPIC,
        TellPartnersHandler.class,
        HandlerSettings.defaults().withSharedCommit());
    SubscriptionBinder.bind(binder(), OrderPlaced.SOURCE, TellPartnersHandler.TOPIC);
  }
}
