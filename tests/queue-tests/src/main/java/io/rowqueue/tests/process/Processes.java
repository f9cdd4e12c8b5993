package io.rowqueue.tests.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Command lines of real processes. */
public final class Processes {

  private Processes() {}

  /** The shipped worker, with the plug-ins that lie in {@code plugins} and short times. */
  public static ProcessBuilder worker(String url, Path plugins, String... more) {
    return worker(ClassArchives.ofWorker(), url, plugins, more);
  }

  public static ProcessBuilder worker(
      List<String> options, String url, Path plugins, String... more) {
    List<String> command = java(options);
    command.addAll(
        List.of("-jar", Checkout.workerJar().toString(), "run", "--handlers", plugins.toString()));
    command.addAll(List.of(more));
    ProcessBuilder builder = clean(command);
    builder.environment().put("ROWQUEUE_LEASE_DURATION", "1s");
    builder.environment().put("ROWQUEUE_LEASE_RENEW_INTERVAL", "300ms");
    builder.environment().put("ROWQUEUE_POLL_INTERVAL", "100ms");
    builder.environment().put("ROWQUEUE_URL", url);
    return builder;
  }

  /** A command of the shipped worker, whose standard error is apart from its output. */
  public static ProcessBuilder command(String url, String... line) {
    List<String> command = java(ClassArchives.ofWorker());
    command.addAll(List.of("-jar", Checkout.workerJar().toString()));
    command.addAll(List.of(line));
    ProcessBuilder builder = clean(command).redirectErrorStream(false);
    builder.environment().put("ROWQUEUE_URL", url);
    return builder;
  }

  /** The exit code of {@code process}, which ends by itself. */
  public static int ended(Process process) throws InterruptedException {
    try {
      if (!process.waitFor(3, TimeUnit.MINUTES)) {
        throw new AssertionError("still running: " + process.info());
      }
      return process.exitValue();
    } finally {
      process.destroyForcibly();
    }
  }

  /** A main class of these tests. */
  public static ProcessBuilder program(Class<?> main, String... arguments) {
    return program(ClassArchives.ofPrograms(), main, arguments);
  }

  public static ProcessBuilder program(List<String> options, Class<?> main, String... arguments) {
    List<String> command = java(options);
    command.addAll(List.of("-cp", ClassArchives.classPath(), main.getName()));
    command.addAll(List.of(arguments));
    return clean(command);
  }

  private static ProcessBuilder clean(List<String> command) {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("ROWQUEUE_"));
    return builder;
  }

  /** Starting quickly matters more than running fast. */
  private static List<String> java(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Checkout.java());
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.add("-Xshare:auto");
    command.addAll(options);
    return command;
  }
}
