package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.multibindings.OptionalBinder;
import io.micrometer.core.instrument.MeterRegistry;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.enqueue.PublicationListener;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.admin.GaugeReader;
import io.rowqueue.worker.internal.admin.MeteredPublications;
import io.rowqueue.worker.internal.admin.MeteredTransactions;
import io.rowqueue.worker.internal.admin.MeteredWorker;
import org.jspecify.annotations.Nullable;

/** Registers a worker's meters. */
final class MetricsModule extends AbstractModule {

  private final @Nullable MeterRegistry registry;

  /** For a registry of the application; null if another module binds one and its gauges. */
  MetricsModule(@Nullable MeterRegistry registry) {
    this.registry = registry;
  }

  @Override
  protected void configure() {
    if (registry != null) {
      bind(MeterRegistry.class).toInstance(registry);
      Multibinder.newSetBinder(binder(), WorkerService.class).addBinding().to(GaugeReader.class);
    }
    Multibinder.newSetBinder(binder(), WorkerObserver.class).addBinding().to(MeteredWorker.class);
    OptionalBinder.newOptionalBinder(binder(), TransactionProbe.class)
        .setBinding()
        .to(MeteredTransactions.class);
    OptionalBinder.newOptionalBinder(binder(), PublicationListener.class)
        .setBinding()
        .to(MeteredPublications.class);
  }
}
