package io.rowqueue.worker.cli;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
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
 */
record Surroundings(
    Map<String, String> environment,
    InputStream in,
    PrintStream out,
    PrintStream err,
    Secrets secrets) {

  /** UTF-8 whatever the locale: programs read the output. */
  static Surroundings ofProcess() {
    return new Surroundings(
        System.getenv(),
        System.in,
        new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8),
        new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8),
        new Secrets());
  }

  /** Not the components: the environment may hold secrets. */
  @Override
  public String toString() {
    return "Surroundings";
  }
}
