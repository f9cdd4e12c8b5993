package io.rowqueue.example.email;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.handle.HandlerBinder;
import io.rowqueue.handle.HandlerSettings;
import java.time.Duration;

/** Binds the handler of {@code email.send}. */
public final class EmailModule extends AbstractModule {

  /** Reads the mail server from the environment, unless another module binds it. */
  public EmailModule() {}

  @Override
  protected void configure() {
    OptionalBinder.newOptionalBinder(binder(), SmtpConfig.class)
        .setDefault()
        .toInstance(SmtpConfig.fromEnvironment());
    HandlerBinder.bind(
        binder(),
        SendEmail.TOPIC,
        SendEmailHandler.class,
        HandlerSettings.defaults().withoutTransaction().withTimeout(Duration.ofMinutes(1)));
  }
}
