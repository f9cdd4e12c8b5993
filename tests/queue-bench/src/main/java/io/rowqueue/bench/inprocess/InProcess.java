package io.rowqueue.bench.inprocess;

import com.google.inject.Guice;
import com.google.inject.Injector;
import com.google.inject.Key;
import com.google.inject.util.Modules;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.claim.Survey;
import io.rowqueue.database.HandlerConnections;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transactions;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.message.Topic;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.worker.ClaimConfig;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Trust;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.WorkerThreads;
import io.rowqueue.worker.dispatch.Dispatcher;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jooq.SQLDialect;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** What the worker costs beside the server: codec, claims, acks, looks, and a message's way. */
public final class InProcess {

  static final String TOPIC = "cost";

  private static final int WARM_UP = 5;

  private InProcess() {}

  /** Measures and reports it. */
  public static void run(Stage stage) throws RunnerException {
    Map<String, Figures> micros = new LinkedHashMap<>();
    for (RunResult result : measured(stage)) {
      micros.put(title(result), Figures.of(scores(result)));
    }
    stage.figures("µs each, in the worker's process, without a server", "micros", micros);
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

  /**
   * A worker with the defaults, and a handler that does nothing, over connections to {@code
   * server}.
   */
  static Injector worker(AnsweringServer server) {
    // Nobody asks this server which strategy suits it.
    ClaimSettings settings = ClaimSettings.defaults().withStrategy(Kind.SKIP_LOCKED);
    WorkerConfig config =
        WorkerConfig.defaults(new DatabaseConfig("jdbc:mysql://nobody:1/nothing", "", ""))
            .withClaims(ClaimConfig.defaults().withSettings(settings));
    Transactions transactions =
        new Transactions(server.connections(), SQLDialect.MYSQL, TransactionProbe.NONE);
    return Guice.createInjector(
        LambdaHandlers.bind(TOPIC, CodecCost.Text.class, (text, context) -> {}),
        Modules.override(new WorkerModule(config))
            .with(
                binder -> {
                  binder.bind(Transactions.class).toInstance(transactions);
                  binder
                      .bind(Key.get(Transactions.class, HandlerConnections.class))
                      .toInstance(transactions);
                }));
  }

  /** The worker's part of a claim, and of its ack in one group. */
  @State(Scope.Thread)
  public abstract static class ClaimCost {

    private static final LockId ME = LockId.create("bench", 1);
    final Injector injector;

    private final ClaimStrategy strategy;
    private final Settler settler;
    private final ClaimRequest request;
    private final List<Claim> claims;

    ClaimCost(int messages) {
      AnsweringServer server = new AnsweringServer(messages);
      injector = InProcess.worker(server);
      strategy = injector.getInstance(ClaimStrategy.class);
      settler = injector.getInstance(Settler.class);
      request = new ClaimRequest(new Topic(InProcess.TOPIC), ME, messages, 1);
      claims = strategy.claim(request);
      if (claims.size() != messages) {
        throw new IllegalStateException(claims.size() + " were claimed, not " + messages);
      }
    }

    /** Finds, locks, updates, commits. */
    @Benchmark
    public List<Claim> claim() {
      return strategy.claim(request);
    }

    /** Deletes, commits. */
    @Benchmark
    public int ack() {
      return settler.ackAll(claims);
    }
  }

  /** {@link ClaimCost} of one message, and the look at ten topics that comes before it. */
  public static class ClaimOfOne extends ClaimCost {

    private static final List<Topic> TEN =
        IntStream.range(0, 10).mapToObj(number -> new Topic("cost" + number)).toList();

    private final ClaimStore store = injector.getInstance(ClaimStore.class);

    /** For JMH. */
    public ClaimOfOne() {
      super(1);
    }

    /** What an idle worker asks when it is woken. */
    @Benchmark
    public Survey look() {
      return store.survey(TEN);
    }
  }

  /** {@link ClaimCost} of a hundred messages. */
  public static class ClaimOfHundred extends ClaimCost {

    /** For JMH. */
    public ClaimOfHundred() {
      super(100);
    }
  }

  /** A payload of 200 bytes to JSON and back. */
  @State(Scope.Thread)
  public static class CodecCost {

    private final PayloadCodec codec = PayloadCodec.json();
    private final Object payload = codec.decode(AnsweringServer.PAYLOAD, Text.class);

    /** A payload of two fields. */
    public record Text(int number, String text) {}

    /** What a producer does. */
    @Benchmark
    public Object encode() {
      return codec.encode(payload);
    }

    /** What a handler's thread does. */
    @Benchmark
    public Object decode() {
      return codec.decode(AnsweringServer.PAYLOAD, Text.class);
    }
  }

  /**
   * A claimed message's way through the worker: to a handler's thread, decoded, through a handler
   * that does nothing, and acknowledged in a transaction of its own.
   */
  @State(Scope.Thread)
  public static class HandlingCost {

    private static final int MESSAGES = 100;
    private static final LockId ME = LockId.create("bench", 1);

    private final Dispatcher dispatcher;
    private final WorkerThreads threads;
    private final Trust trust;
    private final List<Claim> claims;

    /** Starts the handlers' threads. */
    public HandlingCost() {
      AnsweringServer server = new AnsweringServer(MESSAGES);
      Injector injector = InProcess.worker(server);
      claims =
          injector
              .getInstance(ClaimStrategy.class)
              .claim(new ClaimRequest(new Topic(InProcess.TOPIC), ME, MESSAGES, 1));
      trust = injector.getInstance(Trust.class);
      threads = injector.getInstance(WorkerThreads.class);
      dispatcher = injector.getInstance(Dispatcher.class);
      dispatcher.start();
    }

    /** One of a hundred. */
    @Benchmark
    @OperationsPerInvocation(MESSAGES)
    public int handle() {
      trust.renewed(ME, System.nanoTime());
      dispatcher.dispatch(claims);
      while (!dispatcher.isIdle()) {
        Thread.onSpinWait();
      }
      return dispatcher.handled();
    }

    /** Ends the threads; every message must have been handled. */
    @TearDown
    public void stop() {
      dispatcher.close();
      threads.stop();
      if (dispatcher.handled() < MESSAGES) {
        throw new IllegalStateException("only " + dispatcher.handled() + " were handled");
      }
    }
  }
}
