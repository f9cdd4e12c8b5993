package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.ClaimSettings;
import io.rowqueue.MessageLimits;
import io.rowqueue.QueueCoreModule;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.spi.BodyStore;
import io.rowqueue.spi.FileBodyStore;
import io.rowqueue.worker.internal.CoalescingNotifier;
import io.rowqueue.worker.internal.RunningWorker;
import io.rowqueue.worker.internal.SeparateNotifier;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerObserver.Observers;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import io.rowqueue.worker.internal.observe.WorkStatistics;
import java.nio.file.Path;
import java.util.Set;
import javax.sql.DataSource;

/** Binds {@link Worker} for a configuration; install it together with the handler modules. */
public final class WorkerModule extends AbstractModule {

  /** The data source whose commit and rollback end handlers' transactions. */
  static final Key<DataSource> MANAGED = Key.get(DataSource.class, HandlerConnections.class);

  private final WorkerConfig config;

  /** Creates a module for a worker with these settings. */
  public WorkerModule(WorkerConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    install(new QueueCoreModule());
    bind(WorkerConfig.class).toInstance(config);
    bind(HandlerDefaults.class).toInstance(config.handlers());
    bind(MessageLimits.class).toInstance(config.limits());
    OptionalBinder.newOptionalBinder(binder(), ClaimSettings.class)
        .setBinding()
        .toInstance(config.claims().settings());
    OptionalBinder.newOptionalBinder(binder(), UnreadableSettings.class)
        .setBinding()
        .toInstance(new UnreadableSettings(config.unreadableTimeout()));
    Path folder = config.bodyFolder();
    if (folder != null) {
      Multibinder.newSetBinder(binder(), BodyStore.class)
          .addBinding()
          .toInstance(FileBodyStore.in(folder));
    }
    bind(Worker.class).to(RunningWorker.class);
    Multibinder.newSetBinder(binder(), WorkerObserver.class).addBinding().to(WorkStatistics.class);
    Multibinder.newSetBinder(binder(), WorkerService.class);
    OptionalBinder.newOptionalBinder(binder(), MANAGED);
    OptionalBinder.newOptionalBinder(binder(), WorkerThreads.FACTORY)
        .setDefault()
        .toInstance(Thread::new);
    OptionalBinder.newOptionalBinder(binder(), WorkerNotifier.class)
        .setBinding()
        .to(CoalescingNotifier.class);
  }

  @Provides
  @Singleton
  WorkerObserver observer(Set<WorkerObserver> observers) {
    return Observers.of(observers);
  }

  @Provides
  @Singleton
  Transactions transactions(WorkerPools pools, TransactionProbe probe) {
    return new Transactions(pools.protocol(), pools.dialect(), probe)
        .readingOver(pools::frequentReads);
  }

  @Provides
  @Singleton
  @HandlerConnections
  Transactions handlerTransactions(
      WorkerPools pools, TransactionProbe probe, WorkerNotifier notifier) {
    Transactions transactions = new Transactions(pools.handlers(), pools.dialect(), probe);
    return pools.areHandlersManaged()
        ? transactions.managed().ringing(new SeparateNotifier(notifier, pools))
        : transactions.ringing(notifier);
  }
}
