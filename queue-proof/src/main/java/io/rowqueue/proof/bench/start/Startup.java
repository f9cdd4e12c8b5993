package io.rowqueue.proof.bench.start;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Stage;
import io.rowqueue.proof.bench.Workload;
import io.rowqueue.proof.bench.measure.Figures;
import io.rowqueue.proof.bench.measure.Load;
import io.rowqueue.proof.bench.report.Bar;
import io.rowqueue.proof.bench.report.Chart;
import io.rowqueue.proof.bench.report.Table;
import io.rowqueue.proof.bench.start.plugin.NothingHandler;
import io.rowqueue.proof.bench.start.plugin.NothingModule;
import io.rowqueue.proof.process.Checkout;
import io.rowqueue.proof.process.PluginJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * From the start of the shipped worker's process, with one plug-in, to the moment when a message
 * that waits is handled and gone; beside a bare program that connects and deletes one row.
 */
public final class Startup implements Workload {

  private static final int TIMES = 10;
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  @Override
  public String name() {
    return "startup";
  }

  @Override
  public String what() {
    return "from the start of the worker's process to the first handled message";
  }

  @Override
  public void run(Stage stage) throws IOException, SQLException, InterruptedException {
    Path home = Files.createTempDirectory("rowqueue-startup-");
    Path handlers = Files.createDirectories(home.resolve("handlers"));
    PluginJar.pack(NothingModule.class, handlers.resolve("nothing.jar"));
    List<String> worker =
        List.of(
            Checkout.java(),
            "-jar",
            Checkout.workerJar().toString(),
            "run",
            "--handlers",
            handlers.toString());
    List<String> bare =
        List.of(
            Checkout.java(),
            "-cp",
            System.getProperty("java.class.path"),
            BareProgram.class.getName(),
            stage.database().url());
    List<Double> workers = new ArrayList<>();
    List<Double> bares = new ArrayList<>();
    int times = (int) Math.max(1, stage.size() * TIMES);
    for (int time = 0; time <= times; time++) {
      double one = seconds(stage, worker, home);
      double other = seconds(stage, bare, home);
      // The first ones read everything from the disk.
      if (time > 0) {
        workers.add(one);
        bares.add(other);
      }
    }
    report(stage, Figures.of(workers), Figures.of(bares));
  }

  private static double seconds(Stage stage, List<String> command, Path home)
      throws IOException, SQLException, InterruptedException {
    MessageProducer.create()
        .enqueue(
            stage.database().dataSource(),
            NewMessage.of(NothingHandler.TOPIC, new NothingHandler.Nothing()));
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("log").toFile());
    builder.environment().put("ROWQUEUE_URL", stage.database().url());
    try (Connection connection = stage.database().connect();
        Statement statement = connection.createStatement()) {
      long start = System.nanoTime();
      Process process = builder.start();
      while (hasRow(statement)) {
        LockSupport.parkNanos(LOOK_NANOS);
        if (!process.isAlive() && process.exitValue() != 0) {
          throw new IllegalStateException(
              "it ended with %d; its log is in %s".formatted(process.exitValue(), home));
        }
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      process.destroy();
      process.waitFor();
      return seconds;
    }
  }

  private static boolean hasRow(Statement statement) throws SQLException {
    try (ResultSet row = statement.executeQuery("SELECT 1 FROM queue_message LIMIT 1")) {
      return row.next();
    }
  }

  private static void report(Stage stage, Figures workers, Figures bares) {
    Map<String, Figures> figures = new LinkedHashMap<>();
    figures.put("the worker, one plug-in", workers);
    figures.put("a program that deletes one row", bares);
    stage
        .report()
        .table(
            Table.of(
                String.format(
                    Locale.ROOT,
                    "s from the process's start to the end of one message (load %.1f)",
                    Load.average()),
                figures));
    stage
        .report()
        .chart(stage.file("startup"), Chart.bars("Start, " + stage.server(), "s, median", figures));
    figures.forEach(
        (what, each) ->
            stage.report().sample("startup", Map.of("contender", what, "seconds", each.sorted())));
    stage
        .report()
        .bar(
            Bar.atMost(
                "start-up beyond a bare program's, in s", workers.median() - bares.median(), 1.5));
  }
}
