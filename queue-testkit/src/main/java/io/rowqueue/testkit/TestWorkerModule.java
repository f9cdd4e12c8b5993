package io.rowqueue.testkit;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.MessageLimits;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import org.jspecify.annotations.Nullable;

/** The core's real components on a test's connections. */
final class TestWorkerModule extends AbstractModule {

  private final TestConnections connections;
  private final Faults faults;
  private final @Nullable ServerDialect dialect;

  /** Detects the server's dialect. */
  TestWorkerModule(TestConnections connections, Faults faults) {
    this(connections, faults, null);
  }

  /** Uses connections of {@code dialect}; null to detect it. */
  TestWorkerModule(TestConnections connections, Faults faults, @Nullable ServerDialect dialect) {
    this.connections = connections;
    this.faults = faults;
    this.dialect = dialect;
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
    ServerDialect known =
        dialect == null ? Transactions.on(connections.dataSource()).dialect() : dialect;
    return new Transactions(connections.dataSource(), known, probe);
  }

  @Provides
  @Singleton
  @HandlerConnections
  Transactions handlerTransactions(Transactions transactions) {
    return transactions;
  }
}
