package io.rowqueue.worker.internal.cli;

import io.rowqueue.worker.internal.cli.CommandIo.Output;
import io.rowqueue.worker.internal.cli.RunCommand.StopSignals;
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
  private RunCommand.Launcher launcher = new GuiceWorkers(environment);
  private StopSignals signals = new StopSignals(code -> {});
  private CommandIo io = io(new Output(out, () -> false));

  private CommandIo io(Output output) {
    return new CommandIo(
        environment,
        new ByteArrayInputStream(new byte[0]),
        output,
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  /** With this for standard output. */
  ProgramRun writingTo(Output output) {
    io = io(output);
    return this;
  }

  ProgramRun with(String variable, String value) {
    environment.put(variable, value);
    return this;
  }

  ProgramRun launching(RunCommand.Launcher other, StopSignals stop) {
    launcher = other;
    signals = stop;
    return this;
  }

  CommandIo io() {
    return io;
  }

  int run(String... args) {
    return program().run(args);
  }

  CommandLineProgram program() {
    return new CommandLineProgram(io, new RunCommand(io, launcher, signals));
  }

  String out() {
    return out.toString(StandardCharsets.UTF_8);
  }

  String err() {
    return err.toString(StandardCharsets.UTF_8);
  }
}
