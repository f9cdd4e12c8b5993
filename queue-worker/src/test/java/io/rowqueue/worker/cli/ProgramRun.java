package io.rowqueue.worker.cli;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;

/** Runs the command line in this process and keeps what it prints. */
final class ProgramRun {

  private final Map<String, String> environment = new HashMap<>();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private WorkerLauncher launcher = new GuiceWorkers(environment);
  private StopSignals signals = new StopSignals(code -> {});
  private final Surroundings surroundings =
      new Surroundings(
          environment,
          new ByteArrayInputStream(new byte[0]),
          new PrintStream(out, true, StandardCharsets.UTF_8),
          new PrintStream(err, true, StandardCharsets.UTF_8),
          new Secrets());

  ProgramRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  ProgramRun launching(WorkerLauncher other, StopSignals stop) {
    launcher = other;
    signals = stop;
    return this;
  }

  int run(String... args) {
    return program().run(args);
  }

  CommandLineProgram program() {
    return new CommandLineProgram(surroundings, new RunCommand(surroundings, launcher, signals));
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
