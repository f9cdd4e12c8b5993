package io.rowqueue.testkit;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Another JVM that runs a main class of these tests, and every line it writes. */
public final class ChildJvm implements AutoCloseable {

  private static final Duration LONGEST = Duration.ofMinutes(2);

  /** Two runs of these tests at once have places of their own, and so must what they start. */
  private static final List<String> PLACES = List.of("user.home", "java.io.tmpdir");

  private final Process process;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Thread output;

  private ChildJvm(Process process) {
    this.process = process;
    // A thread of its own: on two cores the common pool has one, and on Java 25 two readers wait.
    this.output = new Thread(this::read, "child-output");
    output.setDaemon(true);
    output.start();
  }

  /** What this JVM's class path has. */
  public static List<String> classPath() {
    return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)).toList();
  }

  /** Starts {@code main} on {@code classPath}, without any {@code ROWQUEUE_} variable. */
  public static ChildJvm start(
      List<String> prefix, List<String> classPath, Map<String, String> properties, Class<?> main)
      throws IOException {
    List<String> command = new ArrayList<>(prefix);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xmx256m");
    PLACES.forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.addAll(List.of("-cp", String.join(File.pathSeparator, classPath), main.getName()));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeIf(name -> name.startsWith("ROWQUEUE_"));
    return new ChildJvm(builder.start());
  }

  /** The rest of the first line that begins with {@code start}; the child must be there in time. */
  public String awaitLine(String start) {
    return Await.until(
            "the child writes a line '" + start + "'",
            LONGEST,
            this::lines,
            all -> !process.isAlive() || all.stream().anyMatch(line -> line.startsWith(start)))
        .stream()
        .filter(line -> line.startsWith(start))
        .findFirst()
        .map(line -> line.substring(start.length()))
        .orElseThrow(() -> new AssertionError("the child ended with " + awaitEnd()));
  }

  /** Every line, once the child has ended. */
  public List<String> awaitEnd() {
    Await.that("the child ends", LONGEST, () -> !process.isAlive() && !output.isAlive());
    return lines();
  }

  /** What it returned to the system; it must have ended. */
  public int exitValue() {
    return process.exitValue();
  }

  /** Every line so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  /** As {@code kill -9} does. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("the child cannot be killed");
    }
  }

  @Override
  public void close() throws InterruptedException {
    kill();
  }

  private void read() {
    try (var reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add("(its output broke off: " + e + ")");
    }
  }
}
