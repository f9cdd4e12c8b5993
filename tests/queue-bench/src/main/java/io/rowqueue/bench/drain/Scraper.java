package io.rowqueue.bench.drain;

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
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A Prometheus and an operator's browser: they fetch a worker's metrics and its dashboard. */
@Singleton
final class Scraper implements WorkerAnnex {

  private static final long FIRST_MILLIS = 100;

  private static final AtomicLong SCRAPES = new AtomicLong();

  private final Admin admin;
  private final Pace pace;
  private final HttpClient client = HttpClient.newHttpClient();
  private final ScheduledExecutorService clock =
      Executors.newSingleThreadScheduledExecutor(
          work -> {
            Thread thread = new Thread(work, "scraper");
            thread.setDaemon(true);
            return thread;
          });

  @Inject
  Scraper(Admin admin, Pace pace) {
    this.admin = admin;
    this.pace = pace;
  }

  /** How often each of them comes. */
  record Pace(Duration metrics, Duration dashboard) {

    /** The page of the dashboard comes by itself so often, and metrics more often than is usual. */
    static final Pace USUAL = new Pace(Duration.ofSeconds(5), Duration.ofSeconds(3));

    static final Pace HURRIED = new Pace(Duration.ofSeconds(1), Duration.ofSeconds(1));
  }

  /** An admin port with a dashboard, and somebody who asks for both. */
  static Module at(Pace pace) {
    return Modules.combine(
        new AdminModule(AdminConfig.onPort(0)),
        new DashboardModule(DashboardConfig.open()),
        new AbstractModule() {
          @Override
          protected void configure() {
            bind(Pace.class).toInstance(pace);
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
    begin("/metrics", "rowqueue_claims_total", pace.metrics());
    begin("/dashboard?fragment=1", "Available", pace.dashboard());
  }

  private void begin(String path, String word, Duration every) {
    var unused =
        clock.scheduleAtFixedRate(
            () -> scrape(path, word), FIRST_MILLIS, every.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void scrape(String path, String word) {
    try {
      fetch(path, word);
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
