package io.rowqueue.bench;

import com.google.inject.AbstractModule;
import com.google.inject.Inject;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.google.inject.multibindings.Multibinder;
import com.google.inject.util.Modules;
import io.rowqueue.bench.RowQueueDrainer.Mode;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contender.Standing;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.internal.depth.Statistics;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.WorkerService;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.admin.Admin;
import io.rowqueue.worker.internal.observe.ServerTime;
import io.rowqueue.worker.internal.observe.WorkStatistics;
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
final class Observed {

  private Observed() {}

  /** So many that a round takes several seconds: a scrape each second has to meet some of them. */
  static void run(Stage stage) throws Exception {
    for (Mode mode : Mode.all(40_000, 160_000, 200_000)) {
      measure(stage, mode);
    }
  }

  private static void measure(Stage stage, Mode mode) throws Exception {
    Contender off = drainer(stage, "nobody watches", mode);
    Contender again = drainer(stage, "nobody watches, again", mode);
    Contender on = drainer(stage, "watched", mode).beside(List.of(Scraper.at(Scraper.Pace.USUAL)));
    Contender hurried =
        drainer(stage, "watched each second", mode)
            .beside(List.of(Scraper.at(Scraper.Pace.HURRIED)));
    Contender twice = drainer(stage, "statistics twice", mode).beside(List.of(moreStatistics()));
    List<Contender> nobody = List.of(off, again);
    String title = "observed, " + mode.words();
    long before = Scraper.scrapes();
    Standing end =
        stage.contest(title, stage.scaled(mode.messages(), 200), off, on, again, hurried, twice);
    Figures rate = ratios(end, on, nobody, Effort::perSecond);
    Map<String, Figures> ratios = new LinkedHashMap<>();
    ratios.put("watched: rate", rate);
    ratios.put("watched: µs", ratios(end, on, nobody, Observed::micros));
    ratios.put("watched each second: rate", ratios(end, hurried, nobody, Effort::perSecond));
    ratios.put("watched each second: µs", ratios(end, hurried, nobody, Observed::micros));
    Figures statistics = ratios(end, twice, nobody, Observed::micros);
    ratios.put("statistics twice: rate", ratios(end, twice, nobody, Effort::perSecond));
    ratios.put("statistics twice: µs", statistics);
    ratios.put("nobody watches, again: rate", ratios(end, again, List.of(off), Effort::perSecond));
    ratios.put("nobody watches, again: µs", ratios(end, again, List.of(off), Observed::micros));
    stage.table(Table.of(title + ": to nobody's, by round", ratios));
    stage.report().note("%,d pages were fetched".formatted(Scraper.scrapes() - before));
    stage.atLeast(title + ": rate watched to unwatched, by round", rate.median(), 0.98);
    // Rates of the same drain differ by more than 1 % from round to round.
    stage.atLeast(
        title + ": processor time without, to that with statistics twice",
        1 / statistics.median(),
        0.99);
  }

  /** Counts once more for the statistics: what that costs, they cost by themselves. */
  private static Module moreStatistics() {
    return new AbstractModule() {
      @Override
      protected void configure() {
        Multibinder.newSetBinder(binder(), WorkerObserver.class)
            .addBinding()
            .toProvider(MoreStatistics.class);
      }
    };
  }

  private static final class MoreStatistics implements Provider<WorkerObserver> {

    private final Provider<Statistics> statistics;
    private final ServerTime time;

    @Inject
    MoreStatistics(Provider<Statistics> statistics, ServerTime time) {
      this.statistics = statistics;
      this.time = time;
    }

    @Override
    public WorkerObserver get() {
      return new WorkStatistics(statistics, time);
    }
  }

  /** Processor time for a message, of server and worker: what bounds the rate, and less noisy. */
  private static double micros(Effort effort) {
    return effort.serverMicrosEach() + effort.clientMicrosEach();
  }

  private static RowQueueDrainer drainer(Stage stage, String name, Mode mode) {
    return RowQueueDrainer.idle(name, new QueueTable(stage.database()), mode.settings());
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
  static final class Scraper implements WorkerService {

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
              bind(Scraper.Pace.class).toInstance(pace);
              Multibinder.newSetBinder(binder(), WorkerService.class)
                  .addBinding()
                  .to(Scraper.class);
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
