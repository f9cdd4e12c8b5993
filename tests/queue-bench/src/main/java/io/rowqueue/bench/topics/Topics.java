package io.rowqueue.bench.topics;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Chart;
import io.rowqueue.bench.report.Table;
import io.rowqueue.bench.topics.TopicScene.Outcome;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.worker.WorkerConfig;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * How soon 49 quiet topics with a message a second each are picked up beside a hot one, whose
 * handlers do nothing, and beside a slow one, whose handlers take 50 ms: with the defaults, and
 * with a limit on the threads of the other; and what is left of the hot one's rate.
 */
public final class Topics implements Workload {

  private static final int SECONDS = 30;

  /** More than a worker handles in twice the time. */
  private static final int HOT_PER_SECOND = 12_000;

  private static final int SLOW_PER_SECOND = 2_000;

  /** A limit as docs/operations.md advises it: some threads are always free for the others. */
  private static final int THREADS_FOR_OTHERS = 2;

  @Override
  public String name() {
    return "topics";
  }

  @Override
  public String what() {
    return "pickup of 49 quiet topics beside a hot one and beside a slow one";
  }

  @Override
  public void run(Stage stage) throws SQLException {
    int seconds = (int) Math.max(2, SECONDS * stage.size());
    HandlerSettings usual = HandlerSettings.defaults();
    int threads = WorkerConfig.defaults(stage.database().config()).threads();
    Crowd hot = new Crowd(HOT_PER_SECOND * seconds, Duration.ZERO, usual);
    Crowd slow = new Crowd(SLOW_PER_SECOND * seconds, Duration.ofMillis(50), usual);
    Map<String, Figures> millis = new LinkedHashMap<>();
    try (HikariDataSource producers = pool(stage.database().url())) {
      TopicScene scene = new TopicScene(stage.database(), producers);
      double alone = scene.alone(hot, seconds);
      millis.put("alone", scene.withQuietOnes(Crowd.NONE, seconds).millis());
      millis.put("beside the hot one", scene.withQuietOnes(hot, seconds).millis());
      Outcome limited = scene.withQuietOnes(hot.limitedTo(threads - THREADS_FOR_OTHERS), seconds);
      millis.put("beside the hot one, limited", limited.millis());
      millis.put("beside the slow one", scene.withQuietOnes(slow, seconds).millis());
      millis.put(
          "beside the slow one, limited", scene.withQuietOnes(slow.limitedTo(2), seconds).millis());
      report(stage, millis, alone, limited);
    }
  }

  private static void report(
      Stage stage, Map<String, Figures> millis, double alone, Outcome limited) {
    String title =
        String.format(
            Locale.ROOT,
            "ms from the COMMIT to the handler's first line (load %.1f)",
            Load.average());
    stage.report().table(Table.of(title, millis));
    millis.forEach(
        (what, each) ->
            stage.report().sample("topics", Map.of("case", what, "millis", each.sorted())));
    stage
        .report()
        .chart(
            stage.file("topics"),
            Chart.lines(
                "Pickup of 49 quiet topics, " + stage.server(),
                "% of the messages",
                "ms at most",
                shares(millis)));
    stage
        .report()
        .sample("topics", Map.of("hotAlone", alone, "hotBesideQuietOnes", limited.perSecond()));
    stage
        .report()
        .bar(
            Bar.atMost(
                "quiet topics beside the limited hot one, median in ms",
                limited.millis().median(),
                20));
    stage
        .report()
        .bar(Bar.atLeast("the hot one's rate to that alone", limited.perSecond() / alone, 0.8));
  }

  /** For every third percent of the messages, what none of them exceeds. */
  private static Map<String, Map<Double, Double>> shares(Map<String, Figures> millis) {
    Map<String, Map<Double, Double>> shares = new LinkedHashMap<>();
    millis.forEach(
        (what, each) -> {
          Map<Double, Double> points = new LinkedHashMap<>();
          for (double percent = 3; percent < 100; percent += 3) {
            points.put(percent, each.at(percent / 100));
          }
          shares.put(what, points);
        });
    return shares;
  }

  private static HikariDataSource pool(String url) {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(url);
    config.setMaximumPoolSize(2);
    return new HikariDataSource(config);
  }
}
