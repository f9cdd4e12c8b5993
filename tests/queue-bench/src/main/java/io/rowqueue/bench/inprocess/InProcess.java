package io.rowqueue.bench.inprocess;

import com.google.inject.AbstractModule;
import com.google.inject.Key;
import com.google.inject.Module;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Table;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.database.HandlerConnections;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jooq.SQLDialect;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What the worker costs beside the server: codec, claims, acks, looks, and a message's way. */
public final class InProcess implements Workload {

  static final String TOPIC = "cost";

  private static final int WARM_UP = 5;

  @Override
  public String name() {
    return "inprocess";
  }

  @Override
  public String what() {
    return "the worker's own part, by JMH and without a server: codec, claim, ack, look, handling";
  }

  @Override
  public void run(Stage stage) throws RunnerException {
    Map<String, Figures> micros = new LinkedHashMap<>();
    for (RunResult result : measured(stage)) {
      micros.put(title(result), Figures.of(scores(result)));
    }
    stage.report().table(Table.of("µs each, in the worker's process, without a server", micros));
    micros.forEach(
        (what, each) ->
            stage.report().sample("inprocess", Map.of("case", what, "micros", each.sorted())));
  }

  private static Collection<RunResult> measured(Stage stage) throws RunnerException {
    TimeValue time = TimeValue.milliseconds((long) Math.max(100, 1_000 * stage.size()));
    return new Runner(
            new OptionsBuilder()
                .include(InProcess.class.getPackageName().replace(".", "\\."))
                .mode(Mode.AverageTime)
                .timeUnit(TimeUnit.MICROSECONDS)
                .forks(1)
                .warmupIterations(stage.warmUps() == 0 ? 1 : WARM_UP)
                .warmupTime(time)
                .measurementIterations(stage.rounds())
                .measurementTime(time)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build())
        .run();
  }

  private static List<Double> scores(RunResult result) {
    return result.getBenchmarkResults().stream()
        .map(BenchmarkResult::getIterationResults)
        .flatMap(Collection::stream)
        .map(InProcess::score)
        .toList();
  }

  private static double score(IterationResult iteration) {
    return iteration.getPrimaryResult().getScore();
  }

  /** The class and the method. */
  private static String title(RunResult result) {
    String[] words = result.getParams().getBenchmark().split("\\.", -1);
    return words[words.length - 2] + "." + words[words.length - 1];
  }

  /** A worker with the defaults, and a handler that does nothing. */
  static Module worker() {
    return new AbstractModule() {
      @Override
      protected void configure() {
        install(new WorkerModule(config()));
        install(LambdaHandlers.bind(TOPIC, CodecCost.Text.class, (text, context) -> {}));
      }
    };
  }

  /** Nobody asks this server which strategy suits it. */
  private static WorkerConfig config() {
    ClaimSettings settings = ClaimSettings.defaults().withStrategy(Kind.SKIP_LOCKED);
    return WorkerConfig.defaults(new DatabaseConfig("jdbc:mysql://nobody:1/nothing", "", ""))
        .withClaims(ClaimConfig.defaults().withSettings(settings));
  }

  /** In place of the worker's own. */
  static Module connections(AnsweringServer server) {
    Transactions transactions =
        new Transactions(server.connections(), SQLDialect.MYSQL, TransactionProbe.NONE);
    return new AbstractModule() {
      @Override
      protected void configure() {
        bind(Transactions.class).toInstance(transactions);
        bind(Key.get(Transactions.class, HandlerConnections.class)).toInstance(transactions);
      }
    };
  }
}
