package io.rowqueue.testkit;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.database.HandlerConnections;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerDefaults;
import io.rowqueue.handle.HandlerInterceptor;
import io.rowqueue.message.MessageLimits;

/** The real rooms of the core, with nothing of theirs replaced, on a test's connections. */
final class TestWorkerModule extends AbstractModule {

  private final TestConnections connections;
  private final Faults faults;

  TestWorkerModule(TestConnections connections, Faults faults) {
    this.connections = connections;
    this.faults = faults;
  }

  @Override
  protected void configure() {
    install(new QueueCoreModule());
    bind(HandlerDefaults.class).toInstance(HandlerDefaults.defaults());
    bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setBinding()
        .toInstance(faults);
    Multibinder.newSetBinder(binder(), HandlerInterceptor.class).addBinding().toInstance(faults);
  }

  @Provides
  @Singleton
  Transactions transactions(TransactionProbe probe) {
    Transactions plain = Transactions.on(connections.dataSource());
    return new Transactions(connections.dataSource(), plain.dialect(), probe);
  }

  @Provides
  @Singleton
  @HandlerConnections
  Transactions handlerTransactions(Transactions transactions) {
    return transactions;
  }
}
