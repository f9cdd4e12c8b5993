package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step.StepModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestInstance;

/** A cluster for all tests of a class, and a schema for each. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OnCluster {

  private final Kind kind;
  private final List<TestWorker> workers = new ArrayList<>();
  private Cluster cluster;
  private QueueDatabase database;

  OnCluster(Kind kind) {
    this.kind = kind;
  }

  @BeforeAll
  void startCluster() {
    cluster = Cluster.start(kind);
  }

  @AfterAll
  void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void createSchema() {
    database = QueueDatabase.create(TestServer.at(cluster.url()));
  }

  @AfterEach
  void dropSchema() {
    workers.forEach(TestWorker::close);
    workers.clear();
    database.close();
  }

  QueueDatabase database() {
    return database;
  }

  String urlOf(int node) {
    return TestServer.at(cluster.urlOf(node)).url(database.name());
  }

  TestWorker closing(TestWorker worker) {
    workers.add(worker);
    return worker;
  }

  /** Processes of the shipped worker, with the crash test's plug-in and the default times. */
  static final class WorkerFleet implements AutoCloseable {

    private static final Set<String> SHORT_TIMES =
        Set.of(
            "ROWQUEUE_LEASE_DURATION", "ROWQUEUE_LEASE_RENEW_INTERVAL", "ROWQUEUE_POLL_INTERVAL");

    private final Path folder;
    private final List<Process> processes = new ArrayList<>();

    WorkerFleet(Path folder) throws Exception {
      this.folder = folder;
      PluginJar.pack(StepModule.class, Files.createDirectories(folder).resolve("steps.jar"));
    }

    void start(String url) throws IOException {
      ProcessBuilder builder = Processes.worker(url, folder, "--threads", "4");
      builder.environment().keySet().removeAll(SHORT_TIMES);
      processes.add(builder.redirectOutput(log(processes.size()).toFile()).start());
    }

    /** How many transactions the workers have run again, by what their logs say. */
    long repetitions() throws IOException {
      long repetitions = 0;
      for (int i = 0; i < processes.size(); i++) {
        try (Stream<String> lines = Files.lines(log(i))) {
          repetitions +=
              lines.filter(line -> line.contains("was rolled back and is repeated")).count();
        }
      }
      return repetitions;
    }

    private Path log(int index) {
      return folder.resolve("worker-" + index + ".log");
    }

    void allRun() {
      assertThat(processes).as("workers that still run").allMatch(Process::isAlive);
    }

    @Override
    public void close() throws Exception {
      processes.forEach(Process::destroy);
      for (Process process : processes) {
        if (!process.waitFor(60, TimeUnit.SECONDS)) {
          process.destroyForcibly().waitFor();
        }
      }
    }
  }
}
