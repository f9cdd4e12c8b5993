package io.rowqueue.example;

import com.google.inject.AbstractModule;
import io.rowqueue.example.email.EmailModule;
import io.rowqueue.example.loyalty.LoyaltyModule;
import io.rowqueue.example.newsletter.NewsletterModule;
import io.rowqueue.example.order.OrderModule;
import io.rowqueue.example.report.ReportModule;
import io.rowqueue.example.sweep.SweepModule;
import io.rowqueue.example.webhook.WebhookModule;

/** The whole shop; the worker finds it through {@code META-INF/services}. */
public final class ShopModule extends AbstractModule {

  /** Called by the service loader. */
  public ShopModule() {}

  @Override
  protected void configure() {
    install(new EmailModule());
    install(new LoyaltyModule());
    install(new NewsletterModule());
    install(new OrderModule());
    install(new ReportModule());
    install(new SweepModule());
    install(new WebhookModule());
  }
}
