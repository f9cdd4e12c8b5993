package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.Provides;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rowqueue.worker.internal.admin.Admin;
import io.rowqueue.worker.internal.admin.AdminPage;

/**
 * Gives a worker an admin port; install it together with {@link io.rowqueue.worker.WorkerModule}.
 * Also binds {@link MeterRegistry}, so that an embedding application can add its own meters.
 */
public final class AdminModule extends AbstractModule {

  private final AdminConfig config;

  /** Creates a module for a port. */
  public AdminModule(AdminConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    bind(AdminConfig.class).toInstance(config);
    bind(MeterRegistry.class).to(PrometheusMeterRegistry.class);
    install(new MetricsModule(null));
    Multibinder.newSetBinder(binder(), WorkerService.class).addBinding().to(Admin.class);
    Multibinder.newSetBinder(binder(), AdminPage.class);
  }

  @Provides
  @Singleton
  PrometheusMeterRegistry registry() {
    return new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  }
}
