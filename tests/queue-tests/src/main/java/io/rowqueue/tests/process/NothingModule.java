package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import io.rowqueue.handle.HandlerBinder;

/** Binds one handler. */
public final class NothingModule extends AbstractModule {

  /** For the service loader. */
  public NothingModule() {}

  @Override
  protected void configure() {
    HandlerBinder.bind(binder(), NothingHandler.TOPIC, NothingHandler.class);
  }
}
