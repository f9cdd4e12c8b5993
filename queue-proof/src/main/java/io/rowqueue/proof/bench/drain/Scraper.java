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
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A Prometheus that is in a hurry: it fetches a worker's metrics once a second while it runs. */
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

  /** An admin port, and somebody who asks it. */
  static Module everySecond() {
    return Modules.combine(
        new AdminModule(AdminConfig.onPort(0)),
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
    URI page = URI.create("http://127.0.0.1:%d/metrics".formatted(admin.port()));
    try {
      String text =
          client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString()).body();
      if (text.contains("rowqueue_claims_total")) {
        SCRAPES.incrementAndGet();
      }
    } catch (java.io.IOException e) {
      // The worker ends.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void end() {
    clock.shutdownNow();
  }
}
