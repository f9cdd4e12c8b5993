package io.rowqueue.worker.internal.admin;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.WorkerService;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The admin port during a worker's life. */
@Singleton
public final class Admin implements WorkerService {

  private static final String TEXT = "text/plain; charset=utf-8";

  /** The content type that Prometheus expects. */
  private static final String METRICS = "text/plain; version=0.0.4; charset=utf-8";

  private final AdminConfig config;
  private final Health health;
  private final QueueReading reading;
  private final WorkerGauges gauges;
  private final PrometheusMeterRegistry registry;
  private final Set<AdminPage> pages;
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private volatile @Nullable AdminServer server;

  @Inject
  Admin(
      AdminConfig config,
      Health health,
      QueueReading reading,
      WorkerGauges gauges,
      PrometheusMeterRegistry registry,
      Set<AdminPage> pages) {
    this.config = config;
    this.health = health;
    this.reading = reading;
    this.gauges = gauges;
    this.registry = registry;
    this.pages = pages;
  }

  /** Returns the port that it listens on; 0 if it does not. */
  public int port() {
    AdminServer now = server;
    return now == null ? 0 : now.port();
  }

  @Override
  public void begin() {
    AdminServer opened = new AdminServer(config);
    opened.page("/health/live", () -> page(health.whyNotLive()));
    opened.askingPage("/health/ready", () -> page(health.whyNotReady()));
    opened.askingPage("/metrics", this::metrics);
    pages.forEach(opened::addPage);
    opened.start();
    server = opened;
  }

  private static AdminServer.Answer page(@Nullable String trouble) {
    return trouble == null
        ? new AdminServer.Answer(200, TEXT, "ok\n")
        : new AdminServer.Answer(503, TEXT, trouble + "\n");
  }

  private AdminServer.Answer metrics() {
    if (health.whyNotReady() == null) {
      reading.refresh();
    }
    return new AdminServer.Answer(200, METRICS, registry.scrape(METRICS));
  }

  @Override
  public void running() {
    gauges.register();
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  @Override
  public void end() {
    AdminServer last = server;
    server = null;
    if (last != null) {
      last.close();
    }
    collections.close();
    registry.close();
  }
}
