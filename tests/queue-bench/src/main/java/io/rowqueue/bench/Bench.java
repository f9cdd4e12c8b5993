package io.rowqueue.bench;

import io.rowqueue.bench.Enqueue.Producers;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Report;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Table;
import io.rowqueue.testkit.QueueDatabase;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/**
 * The benchmark: RowQueue beside the least that its job costs in plain JDBC, and beside rivals, by
 * turns in one run.
 */
@Command(
    name = "bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    description = "Measures RowQueue beside baselines and rivals, by turns in one run.")
public final class Bench implements Callable<Integer> {

  static final List<Workload> WORKLOADS = workloads();

  private static final String SETTINGS =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'version_comment', 'sync_binlog',"
          + " 'log_bin', 'innodb_flush_log_at_trx_commit', 'innodb_buffer_pool_size',"
          + " 'innodb_flush_method', 'innodb_doublewrite', 'transaction_isolation', 'tx_isolation',"
          + " 'max_allowed_packet', 'max_connections', 'performance_schema')";

  @Parameters(
      arity = "1..*",
      paramLabel = "WORKLOAD",
      description = "What is measured; 'all' for everything, 'list' to see what there is.")
  private List<String> names = List.of();

  @Option(
      names = "--url",
      description =
          "The JDBC URL of a server that nobody else uses meanwhile, with user and password of an"
              + " account that may create schemas; an embedded MariaDB if left out.")
  private @Nullable String url;

  @Option(
      names = "--rounds",
      defaultValue = "5",
      description = "How often everybody has a turn (default: ${DEFAULT-VALUE}).")
  private int rounds;

  @Option(
      names = "--size",
      defaultValue = "1",
      description =
          "How much work there is: 1 for figures that count, 0.1 for a look (default:"
              + " ${DEFAULT-VALUE}).")
  private double size;

  @Option(
      names = "--report",
      paramLabel = "FOLDER",
      description = "Gets every sample as a line of JSON, the tables, and the charts.")
  private @Nullable Path folder;

  /** Runs it. */
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /** What is measured under a name; docs/why/performance.md has the figures. */
  record Workload(String name, String what, Body body) {}

  interface Body {

    void run(Stage stage) throws Exception;
  }

  private static List<Workload> workloads() {
    List<Workload> all =
        new ArrayList<>(
            List.of(
                new Workload("drain", "messages/s beside plain JDBC and rivals", Drain::run),
                new Workload("first", "the first 1,000 messages of a process", First::run),
                new Workload("slow", "handlers of 10 ms on 16 and 64 threads", Drain::slow),
                new Workload("enqueue", "10,000 messages a call", Enqueue::run),
                new Workload("commits", "single enqueues, with a COMMIT each", Enqueue::singles),
                new Workload("deduplication", "enqueues with keys", Producers::deduplication),
                new Workload("fanout", "publications to 1, 3 and 10 topics", Producers::fanOut),
                new Workload("pickup", "from a COMMIT to an idle worker's handler", Pickup::run),
                new Workload("trickle", "COMMIT to COMMIT at 50 messages/s", Trickle::run),
                new Workload("idle", "statements of a worker with nothing to do", Pickup::idle),
                new Workload("backlog", "claims of up to five million messages", Claims::backlog),
                new Workload("strategies", "a claim in each of four ways", Claims::strategies),
                new Workload("schedules", "1,000 schedules due at once", Schedules::run),
                new Workload("streams", "MB/s of streamed payloads", Streams::run),
                new Workload("observed", "an open dashboard and metrics", Observed::run),
                new Workload("startup", "from start to a handled message", Startup::run),
                new Workload("memory", "a worker with a heap of 96 MB", Memory::run)));
    Features.ALL.forEach(each -> all.add(new Workload(each.name(), each.what(), each::run)));
    return List.copyOf(all);
  }

  static CommandLine commandLine() {
    return new CommandLine(new Bench());
  }

  @Override
  public Integer call() throws Exception {
    if (names.contains("list")) {
      WORKLOADS.forEach(each -> System.out.printf("%-14s %s%n", each.name(), each.what()));
      return 0;
    }
    List<Workload> chosen =
        names.contains("all") ? WORKLOADS : names.stream().map(this::chosen).toList();
    if (url != null) {
      System.setProperty("rowqueue.test.url", url);
    }
    Report report = new Report(System.out, folder);
    describe(report);
    long failed = chosen.stream().filter(workload -> !run(workload, report)).count();
    long missed = report.bars().stream().filter(bar -> !bar.isMet()).count();
    report.note("%n%d bars, %d missed".formatted(report.bars().size(), missed));
    report.bars().stream().filter(bar -> !bar.isMet()).map(Bar::toString).forEach(report::note);
    return failed == 0 ? 0 : 1;
  }

  /** One that fails does not cost the hours of the others. */
  private boolean run(Workload workload, Report report) {
    long from = System.nanoTime();
    try (QueueDatabase database = QueueDatabase.create();
        Meter meter = Meter.of(database)) {
      workload.body().run(new Stage(workload.name(), database, meter, report, rounds, size));
      long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - from);
      report.note("%n%s took %,d s".formatted(workload.name(), seconds));
      return true;
    } catch (Exception e) {
      e.printStackTrace();
      report.note("%nFAILED %s: %s".formatted(workload.name(), e));
      return false;
    }
  }

  static Optional<Workload> named(String name) {
    return WORKLOADS.stream().filter(each -> each.name().equals(name)).findFirst();
  }

  private Workload chosen(String name) {
    return named(name)
        .orElseThrow(
            () ->
                new ParameterException(
                    commandLine(),
                    "there is no workload '%s'; 'list' says which there are".formatted(name)));
  }

  /** The machine and the server, without which a figure says nothing. */
  private static void describe(Report report) {
    Table table = new Table("Machine and server", "what", "value");
    Runtime runtime = Runtime.getRuntime();
    table.row("processors", Integer.toString(runtime.availableProcessors()));
    table.row("Java", Runtime.version().toString());
    table.row("heap, at most", "%,d MB".formatted(runtime.maxMemory() >> 20));
    table.row("load at the beginning", String.format(Locale.ROOT, "%.1f", Stage.load()));
    try (QueueDatabase database = QueueDatabase.createEmpty()) {
      for (String name : database.strings(SETTINGS)) {
        table.row(name, database.strings("SELECT @@GLOBAL." + name).get(0));
      }
    }
    report.table(table);
  }
}
