package io.rowqueue.tests;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.internal.database.TransactionProbe;

/** A probe of the worker in which it is installed. */
public abstract class ProbeModule extends AbstractModule implements TransactionProbe {

  @Override
  protected final void configure() {
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setBinding()
        .toInstance(this);
  }
}
