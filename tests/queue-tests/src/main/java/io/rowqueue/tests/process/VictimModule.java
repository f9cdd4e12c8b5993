package io.rowqueue.tests.process;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.database.TransactionProbe;

/** The victim's plug-in: the handler, and the probe that has the process killed. */
public final class VictimModule extends AbstractModule {

  @Override
  protected void configure() {
    install(new StepModule());
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setBinding()
        .toInstance(KillProbe.ofEnvironment());
  }
}
