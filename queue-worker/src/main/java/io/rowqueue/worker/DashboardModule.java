package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.name.Names;
import io.rowqueue.worker.internal.admin.AdminPage;
import io.rowqueue.worker.internal.dashboard.Dashboard;
import io.rowqueue.worker.internal.dashboard.FurtherDashboards;

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
    add(Key.get(Dashboard.class));
    Provider<FurtherDashboards> further = getProvider(FurtherDashboards.class);
    for (String name : config.queues().keySet()) {
      Key<Dashboard> one = Key.get(Dashboard.class, Names.named(name));
      bind(one).toProvider(() -> further.get().create(name)).in(Singleton.class);
      add(one);
    }
  }

  private void add(Key<Dashboard> dashboard) {
    Multibinder.newSetBinder(binder(), AdminPage.class).addBinding().to(dashboard);
    Multibinder.newSetBinder(binder(), WorkerService.class).addBinding().to(dashboard);
  }
}
