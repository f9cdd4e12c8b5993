package io.rowqueue.bench;

import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.bench.RowQueueDrainer.QueueTable;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.tests.process.Checkout;
import io.rowqueue.tests.process.NothingHandler;
import io.rowqueue.tests.process.NothingHandler.NothingModule;
import io.rowqueue.tests.process.PluginJar;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * From the start of the shipped worker's process, with one plug-in, to the moment when a message
 * that waits is handled and gone, with and without an archive of the worker's classes; beside a
 * bare program that connects and deletes one row.
 */
final class Startup {

  private static final String PLAIN = "the worker, one plug-in";
  private static final String ARCHIVED = "the same with an archive of its classes";
  private static final String BARE = "a program that deletes one row";

  private static final int TIMES = 10;
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private Startup() {}

  static void run(Stage stage) throws IOException, SQLException, InterruptedException {
    Path home = Files.createTempDirectory("rowqueue-startup-");
    Path handlers = Files.createDirectories(home.resolve("handlers"));
    PluginJar.pack(NothingModule.class, handlers.resolve("nothing.jar"));
    Map<String, List<String>> programs = new LinkedHashMap<>();
    programs.put(PLAIN, worker(handlers));
    programs.put(ARCHIVED, worker(handlers, "-XX:SharedArchiveFile=" + archive(stage, home)));
    programs.put(BARE, bare(stage));
    Map<String, List<Double>> seconds = new LinkedHashMap<>();
    int times = (int) Math.max(1, stage.size() * TIMES);
    for (int time = 0; time <= times; time++) {
      for (Map.Entry<String, List<String>> program : programs.entrySet()) {
        double one = seconds(stage, program.getValue(), home);
        // The first ones read everything from the disk.
        if (time > 0) {
          seconds.computeIfAbsent(program.getKey(), name -> new ArrayList<>()).add(one);
        }
      }
    }
    Map<String, Figures> figures = new LinkedHashMap<>();
    seconds.forEach((name, each) -> figures.put(name, Figures.of(each)));
    report(stage, figures);
  }

  private static List<String> worker(Path handlers, String... flags) {
    List<String> command = new ArrayList<>(List.of(Checkout.java()));
    command.addAll(List.of(flags));
    command.addAll(List.of("-jar", Checkout.workerJar().toString(), "run"));
    command.addAll(List.of("--handlers", handlers.toString()));
    return command;
  }

  private static List<String> bare(Stage stage) {
    return List.of(
        Checkout.java(),
        "-cp",
        System.getProperty("java.class.path"),
        BareProgram.class.getName(),
        stage.database().url());
  }

  /** Made by a worker that handles one message and exits. */
  private static Path archive(Stage stage, Path home) throws IOException, InterruptedException {
    Path archive = home.resolve("queue-worker.jsa");
    List<String> command =
        new ArrayList<>(
            worker(
                home.resolve("handlers"),
                "-XX:ArchiveClassesAtExit=" + archive,
                "-Xlog:cds=error"));
    command.add("--once");
    enqueue(stage);
    int exit = start(stage, command, home).waitFor();
    if (exit != 0 || !Files.exists(archive)) {
      throw new IllegalStateException(
          "no archive was made, exit code %d; the log is in %s".formatted(exit, home));
    }
    return archive;
  }

  private static void enqueue(Stage stage) {
    MessageProducer.create()
        .enqueue(
            stage.database().dataSource(),
            NewMessage.of(NothingHandler.TOPIC, new NothingHandler.Nothing()));
  }

  private static Process start(Stage stage, List<String> command, Path home) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(home.resolve("log").toFile());
    builder.environment().put("ROWQUEUE_URL", stage.database().url());
    return builder.start();
  }

  private static double seconds(Stage stage, List<String> command, Path home)
      throws IOException, SQLException, InterruptedException {
    enqueue(stage);
    try (Connection connection = stage.database().connect();
        Statement statement = connection.createStatement()) {
      long start = System.nanoTime();
      Process process = start(stage, command, home);
      while (QueueTable.hasRow(statement, "queue_message")) {
        LockSupport.parkNanos(POLL_NANOS);
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

  private static void report(Stage stage, Map<String, Figures> figures) {
    stage.figures("s from the process's start to the end of one message", "seconds", figures);
    double bare = median(figures, BARE);
    for (String name : List.of(PLAIN, ARCHIVED)) {
      double more = median(figures, name) - bare;
      stage.atMost(name + ", beyond a bare program, in s", more, 1.0);
    }
  }

  private static double median(Map<String, Figures> figures, String name) {
    return Objects.requireNonNull(figures.get(name)).median();
  }

  /** The least that a Java program needs to settle one message: connect, and delete a row. */
  static final class BareProgram {

    private BareProgram() {}

    public static void main(String[] arguments) throws SQLException {
      try (Connection connection = DriverManager.getConnection(arguments[0]);
          Statement statement = connection.createStatement()) {
        statement.executeUpdate("DELETE FROM queue_message ORDER BY id LIMIT 1");
      }
    }
  }
}
