package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.StepModule;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Processes of the shipped worker, with the crash test's plug-in and the default times. */
final class WorkerFleet implements AutoCloseable {

  private static final Set<String> SHORT_TIMES =
      Set.of("ROWQUEUE_LEASE", "ROWQUEUE_RENEW_EVERY", "ROWQUEUE_POLL_EVERY");

  private final Path folder;
  private final List<Process> processes = new ArrayList<>();

  /** Keeps plug-in and logs in {@code folder}. */
  WorkerFleet(Path folder) throws Exception {
    this.folder = folder;
    PluginJar.pack(StepModule.class, Files.createDirectories(folder).resolve("steps.jar"));
  }

  /** Starts a worker on {@code url}. */
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
            lines.filter(line -> line.contains("was rolled back and runs again")).count();
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
