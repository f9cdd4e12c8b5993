package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.worker.internal.admin.AdminPage;
import io.rowqueue.worker.internal.dashboard.Dashboard;

/** Adds a dashboard to the admin port of a worker; install it together with {@code AdminModule}. */
public final class DashboardModule extends AbstractModule {

  private final DashboardConfig config;

  /** Creates a module with these settings. */
  public DashboardModule(DashboardConfig config) {
    this.config = config;
  }

  @Override
  protected void configure() {
    bind(DashboardConfig.class).toInstance(config);
    Multibinder.newSetBinder(binder(), AdminPage.class).addBinding().to(Dashboard.class);
    Multibinder.newSetBinder(binder(), WorkerService.class).addBinding().to(Dashboard.class);
  }
}
