package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.HandlingJournal;
import io.rowqueue.proof.process.Checkout;
import io.rowqueue.proof.process.Wire;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** One process of the shipped worker, behind a wire of its own. */
final class WorkerProcess implements AutoCloseable {

  /** The property with more options of the workers' Java, such as an archive of their classes. */
  static final String JAVA_OPTIONS = "rowqueue.fault.java";

  /** The folder beside the log that has the payloads outside the database. */
  static final String BODIES = "bodies";

  private static final long LONGEST_STOP_SECONDS = 60;

  private final Process process;
  private final Wire wire;
  private final @Nullable FakeClock clock;

  private WorkerProcess(Process process, Wire wire, @Nullable FakeClock clock) {
    this.process = process;
    this.wire = wire;
    this.clock = clock;
  }

  /**
   * Starts one.
   *
   * @param jar the worker, of whichever version
   * @param log where its log goes; the folder has the plug-in in its folder {@code handlers},
   *     payloads in {@link #BODIES}, and its journal goes there, too
   */
  static WorkerProcess start(Path jar, String url, Path log, Scenario scenario) throws IOException {
    Path home = Objects.requireNonNull(log.getParent());
    Wire wire = Wire.to(url);
    List<String> command =
        new ArrayList<>(
            List.of(
                // Starting quickly matters more than running fast.
                Checkout.java(), "-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    Stream.of(System.getProperty(JAVA_OPTIONS, "").split(" "))
        .filter(option -> !option.isEmpty())
        .forEach(command::add);
    command.addAll(List.of("-jar", jar.toString(), "run"));
    command.addAll(List.of("--handlers", home.resolve("handlers").toString()));
    command.addAll(List.of("--body-dir", home.resolve(BODIES).toString()));
    command.addAll(scenario.options());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(variable -> variable.startsWith("ROWQUEUE_"));
    builder.environment().put("ROWQUEUE_URL", wire.through(url));
    builder.environment().put(HandlingJournal.VARIABLE, home.toString());
    builder.redirectOutput(log.toFile());
    FakeClock clock =
        scenario.has(Scenario.Trait.FAKES_CLOCKS)
            ? FakeClock.at(log.resolveSibling(log.getFileName() + ".clock"))
            : null;
    if (clock != null) {
      builder.environment().putAll(clock.environment());
    }
    return new WorkerProcess(builder.start(), wire, clock);
  }

  long pid() {
    return process.pid();
  }

  Wire wire() {
    return wire;
  }

  /** Puts its wall clock ahead, or behind; it must have one of its own. */
  void setClock(Duration ahead) throws IOException {
    Objects.requireNonNull(clock, "a clock of its own").set(ahead);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** SIGKILL, and waits for its end. */
  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor();
  }

  /** SIGSTOP. */
  void pause() throws IOException, InterruptedException {
    signal("STOP");
  }

  /** SIGCONT. */
  void resume() throws IOException, InterruptedException {
    signal("CONT");
  }

  /**
   * SIGTERM, and waits for its end.
   *
   * @return its exit code and how long it took
   */
  Stopped terminate() throws InterruptedException {
    long start = System.nanoTime();
    process.destroy();
    if (!process.waitFor(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
    return new Stopped(process.exitValue(), Duration.ofNanos(System.nanoTime() - start));
  }

  private void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, Long.toString(pid())).start().waitFor();
  }

  @Override
  public void close() throws IOException {
    process.destroyForcibly();
    wire.close();
  }

  /** How one ended. */
  record Stopped(int exitCode, Duration after) {}
}
