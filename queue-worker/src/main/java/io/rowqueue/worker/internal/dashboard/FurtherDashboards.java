package io.rowqueue.worker.internal.dashboard;

import com.google.inject.Binder;
import com.google.inject.Guice;
import com.google.inject.Inject;
import com.google.inject.Injector;
import com.google.inject.Singleton;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.internal.WorkerThreads;
import java.util.List;
import java.util.Objects;

/**
 * Creates the dashboards of further queues. Users and sessions are those of the worker's own
 * queue's; pages, connections and threads for requests are separate, so that a queue whose server
 * does not answer does not delay the others. Thread-safe.
 */
@Singleton
public final class FurtherDashboards {

  private static final List<Class<?>> SHARED =
      List.of(
          AdminConfig.class,
          Sessions.class,
          Templates.class,
          WorkerThreads.class,
          Unwrapping.class);

  private final Injector worker;
  private final DashboardConfig config;
  private final ShownQueue own;

  @Inject
  FurtherDashboards(Injector worker, DashboardConfig config, ShownQueue own) {
    this.worker = worker;
    this.config = config;
    this.own = own;
  }

  /** Creates the dashboard of the queue {@code name}. It connects when a page is opened. */
  public Dashboard create(String name) {
    DatabaseConfig database = Objects.requireNonNull(config.queues().get(name), name);
    DashboardConfig one =
        config.withDatabase(database).withPath(config.path() + ShownQueue.below(name));
    return Guice.createInjector(
            binder -> {
              SHARED.forEach(part -> share(binder, part));
              binder.bind(DashboardConfig.class).toInstance(one);
              binder.bind(WorkerConfig.class).toInstance(WorkerConfig.defaults(database));
              binder.bind(ShownQueue.class).toInstance(own.further(name, database));
            })
        .getInstance(Dashboard.class);
  }

  private <T> void share(Binder binder, Class<T> part) {
    binder.bind(part).toProvider(worker.getProvider(part));
  }
}
