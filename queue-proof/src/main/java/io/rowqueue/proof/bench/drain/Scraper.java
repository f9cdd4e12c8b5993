package io.rowqueue.proof.bench.drain;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.util.Modules;
import io.rowqueue.worker.WorkerAnnex;
import io.rowqueue.worker.admin.Admin;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.admin.AdminModule;
import io.rowqueue.worker.dashboard.DashboardConfig;
import io.rowqueue.worker.dashboard.DashboardModule;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A Prometheus and an operator's browser that are in a hurry: they fetch a worker's metrics and its
 * dashboard once a second while it runs.
 */
@Singleton
final class Scraper implements WorkerAnnex {

  private static final AtomicLong SCRAPES = new AtomicLong();

  private final Admin admin;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "scraper");
            thread.setDaemon(true);
            return thread;
          });

  @Inject
  Scraper(Admin admin) {
    this.admin = admin;
  }

  /** An admin port with a dashboard, and somebody who asks for both. */
  static Module everySecond() {
    return Modules.combine(
        new AdminModule(AdminConfig.onPort(0)),
        new DashboardModule(DashboardConfig.open()),
        new AbstractModule() {
          @Override
          protected void configure() {
            Multibinder.newSetBinder(binder(), WorkerAnnex.class).addBinding().to(Scraper.class);
          }
        });
  }

  /** How many pages were fetched since this program began: none would mean that nothing was. */
  static long scrapes() {
    return SCRAPES.get();
  }

  @Override
  public void running() {
    var unused = clock.scheduleAtFixedRate(this::scrape, 100, 1_000, TimeUnit.MILLISECONDS);
  }

  private void scrape() {
    try {
      fetch("/metrics", "rowqueue_claims_total");
      fetch("/dashboard?fragment=1", "Available");
    } catch (IOException e) {
      // The worker ends.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void fetch(String path, String word) throws IOException, InterruptedException {
    URI page = URI.create("http://127.0.0.1:%d%s".formatted(admin.port(), path));
    String text = client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString()).body();
    if (text.contains(word)) {
      SCRAPES.incrementAndGet();
    }
  }

  @Override
  public void end() {
    clock.shutdownNow();
  }
}
