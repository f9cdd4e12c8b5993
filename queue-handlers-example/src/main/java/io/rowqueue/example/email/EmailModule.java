package io.rowqueue.example.email;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.example.order.OrderPlaced;
import io.rowqueue.example.order.OrderRefused;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.SubscriptionBinder;
import java.time.Duration;

/** Binds the handler of {@code email.send}, and answers to orders. */
public final class EmailModule extends AbstractModule {

  /** Reads the mail server from the environment, unless another module binds it. */
  public EmailModule() {}

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), SmtpConfig.class)
        .setDefault()
        .toInstance(SmtpConfig.fromEnvironment());
    HandlerSettings outside =
        HandlerSettings.defaults().withoutTransaction().withTimeout(Duration.ofMinutes(1));
    HandlerBinder.bind(binder(), SendEmail.TOPIC, SendEmailHandler.class, outside);
    HandlerBinder.bind(binder(), ThankForOrderHandler.TOPIC, ThankForOrderHandler.class, outside);
    HandlerBinder.bind(binder(), RegretOrderHandler.TOPIC, RegretOrderHandler.class, outside);
    SubscriptionBinder.bind(binder(), OrderPlaced.SOURCE, ThankForOrderHandler.TOPIC);
    SubscriptionBinder.bind(binder(), OrderRefused.SOURCE, RegretOrderHandler.TOPIC);
  }
}
