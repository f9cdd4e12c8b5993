package io.rowqueue.tests.process;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * A process of its own that runs another main class with this one's class path. It says one line
 * when it is ready, ends when its standard input does, so that none outlives its parent, and may
 * say its results before. Confined to one thread.
 */
public final class Child implements AutoCloseable {

  private final Process process;
  private final BufferedReader said;

  private Child(Process process) {
    this.process = process;
    this.said = process.inputReader(StandardCharsets.UTF_8);
  }

  /** Starts {@code main} with {@code arguments}. */
  public static Child start(Class<?> main, String... arguments) throws IOException {
    return start(List.of(), main, arguments);
  }

  /** The same in a Java that is given {@code options}. */
  public static Child start(List<String> options, Class<?> main, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Checkout.java());
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(arguments));
    return new Child(
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
  }

  /** In the child: tells the parent that it is ready, and with what. */
  public static void ready(Object what) {
    System.out.println(what);
  }

  /** In the child: returns when the parent wants its end. */
  public static void awaitEnd() throws IOException {
    // Nothing is ever said to a child.
    System.in.transferTo(OutputStream.nullOutputStream());
  }

  /** In the parent: what the child said when it was ready, or next. */
  public String awaitReady() throws IOException {
    String line = said.readLine();
    if (line == null) {
      throw new IllegalStateException("a process ended before it said so");
    }
    return line;
  }

  /** In the parent: what follows {@code prefix} in the next line that begins so, and is no log. */
  public String awaitLine(String prefix) throws IOException {
    String line = awaitReady();
    while (!line.startsWith(prefix)) {
      line = awaitReady();
    }
    return line.substring(prefix.length());
  }

  /** Ends it in good order; the lines that it said after the first. */
  public List<String> end() throws IOException {
    process.getOutputStream().close();
    return rest();
  }

  /** Waits for its own end; the lines that it said after the first. */
  public List<String> rest() throws IOException {
    List<String> lines = new ArrayList<>();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      lines.add(line);
    }
    return lines;
  }

  /** SIGKILL. */
  public void kill() {
    process.destroyForcibly();
  }

  @Override
  public void close() {
    kill();
  }
}
