package io.rowqueue.worker.internal.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a command has around it, so that tests can put something else there.
 *
 * @param environment the environment's variables
 * @param in standard input
 * @param out standard output, for results
 * @param err standard error, for everything else
 * @param secrets what must not be printed to either
 * @param shutdown knows how far the command is
 */
record CommandIo(
    Map<String, String> environment,
    InputStream in,
    Output out,
    PrintStream err,
    Secrets secrets,
    ShutdownReport shutdown) {

  CommandIo(Map<String, String> environment, InputStream in, Output out, PrintStream err) {
    this(environment, in, out, err, new Secrets(), new ShutdownReport());
  }

  /** For tests of several class loaders. */
  static CommandIo of(
      Map<String, String> environment, InputStream in, OutputStream out, PrintStream err) {
    return new CommandIo(environment, in, new Output(out, () -> false), err);
  }

  /** UTF-8 whatever the locale: programs read the output. */
  static CommandIo ofProcess() {
    return new CommandIo(
        System.getenv(),
        System.in,
        new Output(
            new FileOutputStream(FileDescriptor.out), () -> Terminal.isPipe(Terminal.OUTPUT)),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
  }

  /** Prints what a command has read. */
  void show(String text) {
    out.show(text);
  }

  /** Prints what a command has done: on standard error where standard output cannot be written. */
  void report(String done) {
    out.report(done, text -> ErrorReport.print(this, text));
  }

  /** Not the components: the environment may hold secrets. */
  @Override
  public String toString() {
    return "Surroundings";
  }
}
