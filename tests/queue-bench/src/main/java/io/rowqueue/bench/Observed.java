package io.rowqueue.bench;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.util.Modules;
import io.rowqueue.bench.Observed.Scraper.Pace;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.handle.HandlerSettings;
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
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToDoubleFunction;

/**
 * What it costs that a worker is watched: with an admin port and an open dashboard, with both asked
 * each second, and without a port. Without one takes part twice, so that the run tells its own
 * noise.
 */
final class Observed implements Workload {

  // So many that a round takes several seconds: a look each second has to meet some of them.
  private static final int SINGLE = 40_000;
  private static final int SHARED = 160_000;
  private static final int GROUPED = 200_000;

  @Override
  public String name() {
    return "observed";
  }

  @Override
  public String what() {
    return "messages handled a second with a dashboard open and metrics on, and with no port";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    measure(stage, "a COMMIT each", alone, SINGLE);
    measure(stage, "shared commits", alone.withSharedCommit(), SHARED);
    measure(stage, "grouped acks", alone.withoutTransaction(), GROUPED);
  }

  private static void measure(Stage stage, String how, HandlerSettings settings, int messages)
      throws Exception {
    Contender off = drainer(stage, "nobody watches", settings);
    Contender again = drainer(stage, "nobody watches, again", settings);
    Contender on = drainer(stage, "watched", settings).beside(List.of(Scraper.at(Pace.USUAL)));
    Contender hurried =
        drainer(stage, "watched each second", settings).beside(List.of(Scraper.at(Pace.HURRIED)));
    List<Contender> nobody = List.of(off, again);
    long before = Scraper.scrapes();
    Standing end =
        new Contest(stage, "observed", "observed, " + how, stage.scaled(messages, 200))
            .show(off, List.of(off, on, again, hurried));
    Map<String, Figures> ratios = new LinkedHashMap<>();
    ratios.put("watched: rate", ratios(end, on, nobody, Effort::perSecond));
    ratios.put("watched: µs", ratios(end, on, nobody, Observed::micros));
    ratios.put("watched each second: rate", ratios(end, hurried, nobody, Effort::perSecond));
    ratios.put("watched each second: µs", ratios(end, hurried, nobody, Observed::micros));
    ratios.put("nobody watches, again: rate", ratios(end, again, List.of(off), Effort::perSecond));
    ratios.put("nobody watches, again: µs", ratios(end, again, List.of(off), Observed::micros));
    stage.report().table(Table.of("observed, " + how + ": to nobody's, by round", ratios));
    stage.report().note("%,d pages were fetched".formatted(Scraper.scrapes() - before));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "observed, " + how + ": rate watched to unwatched, by round",
                Objects.requireNonNull(ratios.get("watched: rate")).median(),
                0.98));
  }

  /** Processor time for a message, of server and worker: what bounds the rate, and less noisy. */
  private static double micros(Effort effort) {
    return effort.serverMicrosEach() + effort.clientMicrosEach();
  }

  private static RowQueueDrainer drainer(Stage stage, String name, HandlerSettings settings) {
    return RowQueueDrainer.doing(
        name, new QueueTable(stage.database()), settings, (work, context) -> {});
  }

  /**
   * Of each round, to the mean of {@code others}: turns change round by round, so that drifts
   * cancel.
   */
  private static Figures ratios(
      Standing end, Contender one, List<Contender> others, ToDoubleFunction<Effort> figure) {
    List<Double> ratios = new ArrayList<>();
    for (int i = 0; i < efforts(end, one).size(); i++) {
      int round = i;
      double base =
          others.stream()
              .mapToDouble(other -> figure.applyAsDouble(efforts(end, other).get(round)))
              .average()
              .orElseThrow();
      ratios.add(figure.applyAsDouble(efforts(end, one).get(round)) / base);
    }
    return Figures.of(ratios);
  }

  private static List<Effort> efforts(Standing end, Contender contender) {
    return Objects.requireNonNull(end.efforts().get(contender.name()));
  }

  /** A Prometheus and an operator's browser: they fetch a worker's metrics and its dashboard. */
  @Singleton
  static final class Scraper implements WorkerAnnex {

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

      /**
       * The page of the dashboard comes by itself so often, and metrics more often than is usual.
       */
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
      String text =
          client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString()).body();
      if (text.contains(word)) {
        SCRAPES.incrementAndGet();
      }
    }

    @Override
    public void end() {
      clock.shutdownNow();
    }
  }
}
