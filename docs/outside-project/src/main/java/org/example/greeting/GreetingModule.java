package org.example.greeting;

import com.google.inject.AbstractModule;
import io.rowqueue.handler.HandlerBinder;

/** Binds the handler to its topic; the services file names this class. */
public final class GreetingModule extends AbstractModule {

  @Override
  protected void configure() {
    HandlerBinder.bind(binder(), "greeting.requested", GreetingHandler.class);
  }
}
