package io.rowqueue.example.newsletter;

import com.google.inject.AbstractModule;
import io.rowqueue.handler.HandlerBinder;

/** Binds the handlers of {@code newsletter.send} and {@code newsletter.sent}. */
public final class NewsletterModule extends AbstractModule {

  /** With the worker's defaults. */
  public NewsletterModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(binder(), SendNewsletter.TOPIC, SendNewsletterHandler.class);
    HandlerBinder.bind(binder(), NewsletterSent.TOPIC, NewsletterSentHandler.class);
  }
}
