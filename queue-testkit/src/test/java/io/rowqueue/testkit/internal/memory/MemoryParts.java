package io.rowqueue.testkit.internal.memory;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import io.rowqueue.MessageLimits;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.testkit.internal.contract.ContractQueue;
import javax.sql.DataSource;

/** The rooms of a queue in memory by themselves, over rules of the test. */
final class MemoryParts extends AbstractModule {

  private final Memory memory;

  private MemoryParts(Memory memory) {
    this.memory = memory;
  }

  static ContractQueue queue(Rules rules) {
    Memory memory = new Memory(null, rules);
    Injector parts = Guice.createInjector(new MemoryParts(memory));
    return ContractQueue.of(parts, memory::contents, memory::advance, memory::now);
  }

  @Override
  protected void configure() {
    install(new MemoryModule(memory));
    bind(DataSource.class).toInstance(memory.dataSource());
    bind(MessageLimits.class).toInstance(MessageLimits.defaults());
    var unused = WrapperBinder.wrappings(binder());
  }

  @Provides
  @Singleton
  Transactions transactions() {
    return new Transactions(
        new FreshConnections(memory::connect), ServerDialect.MYSQL, TransactionProbe.NONE);
  }
}
