package io.rowqueue.example.webhook;

import com.google.inject.AbstractModule;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import java.time.Duration;

/** Binds the handler of {@code webhook.post}. */
public final class WebhookModule extends AbstractModule {

  /** Without a transaction, and with a timeout above the HTTP client's own. */
  public WebhookModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(
        binder(),
        PostWebhook.TOPIC,
        PostWebhookHandler.class,
        HandlerSettings.defaults().withoutTransaction().withTimeout(Duration.ofMinutes(1)));
  }
}
