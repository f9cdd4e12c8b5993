package io.rowqueue.proof.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own that runs another main class with this one's class path. It says one line
 * when it is ready, ends when its standard input does, so that none outlives its parent, and may
 * say its results before. Confined to one thread.
 */
final class Child implements AutoCloseable {

  private final Process process;
  private final BufferedReader said;

  private Child(Process process) {
    this.process = process;
    this.said = process.inputReader(StandardCharsets.UTF_8);
  }

  static Child start(Class<?> main, String... arguments) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    command.addAll(List.of(arguments));
    return new Child(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** In the child: tells the parent that it is ready, and with what. */
  static void ready(Object what) {
    System.out.println(what);
  }

  /** In the child: returns when the parent wants its end. */
  static void awaitEnd() throws IOException {
    // Nothing is ever said to a child.
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  /** In the parent: what the child said when it was ready. */
  String awaitReady() throws IOException {
    String line = said.readLine();
    if (line == null) {
      throw new IllegalStateException("a process ended before it was ready");
    }
    return line;
  }

  /** Ends it in good order; the lines that it said after the first. */
  List<String> end() throws IOException {
    process.getOutputStream().close();
    return rest();
  }

  /** Waits for its own end; the lines that it said after the first. */
  List<String> rest() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      lines.add(line);
    }
    return lines;
  }

  /** SIGKILL. */
  void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
  }
}
