package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.crash.ClassArchives;
import io.rowqueue.proof.process.Checkout;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The commands as they are shipped: one process each, on a real database. */
final class ShippedCommand {

  private final QueueDatabase database;
  private final Path directory;

  /** On {@code database}; {@code directory} gets what the processes say. */
  ShippedCommand(QueueDatabase database, Path directory) {
    this.database = database;
    this.directory = directory;
  }

  /** What a process said, and how it ended. */
  record Said(int exitCode, String out, String err) {}

  /** Runs {@code line} to its end. */
  Said run(String line) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(Checkout.java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(ClassArchives.ofWorker());
    command.addAll(List.of("-jar", Checkout.workerJar().toString()));
    command.addAll(List.of(line.split(" ")));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
    builder.environment().keySet().removeIf(name -> name.startsWith("ROWQUEUE_"));
    builder.environment().put("ROWQUEUE_URL", database.url());
    Process process = builder.redirectInput(ProcessBuilder.Redirect.PIPE).start();
    try {
      process.getOutputStream().close();
      assertThat(process.waitFor(2, TimeUnit.MINUTES)).as(line).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Said(process.exitValue(), Files.readString(out), Files.readString(err));
  }

  /** The same; it must end well, and say nothing on standard error. */
  String done(String line) throws IOException, InterruptedException {
    Said said = run(line);
    assertThat(said.exitCode()).as("%s: %s", line, said.err()).isZero();
    assertThat(said.err()).as(line).isEmpty();
    return said.out().strip();
  }
}
