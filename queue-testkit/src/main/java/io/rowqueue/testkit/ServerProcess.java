package io.rowqueue.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A run of the server. Not thread-safe.
 *
 * <p>On Linux and macOS a shell supervises it. The shell's input is a pipe from this JVM: a line
 * requests a stop; the end of input means that the JVM died, and the shell kills the server and
 * deletes its files. On Windows there is no such shell, and the server outlives a JVM that is
 * killed.
 */
final class ServerProcess {

  /** Fast to copy, and large enough for tests. */
  static final String REDO_LOG_SIZE = "32M";

  private static final String READY = "ready for connections";
  private static final String PORT_TAKEN = "Bind on TCP/IP port";
  private static final long LONGEST_START_NANOS = TimeUnit.SECONDS.toNanos(90);
  private static final long LONGEST_STOP_SECONDS = 60;

  private static final String SHELL =
      """
      home=$1
      shift
      exec 3<&0
      "$@" </dev/null 3<&- >>"$home/server.log" 2>&1 &
      server=$!
      echo "$server"
      exec >/dev/null 2>&1
      {
        if read -r word <&3; then
          kill "$server"
        else
          : >"$home/abandoned"
          kill -9 "$server"
        fi
      } &
      watcher=$!
      signalled=
      trap 'signalled=1; kill "$server"' TERM INT HUP
      wait "$server"
      code=$?
      if [ "$signalled" ]; then
        wait "$server"
        code=$?
      fi
      kill "$watcher"
      if [ -e "$home/abandoned" ]; then
        cd /
        rm -rf "$home"
      fi
      exit "$code"
      """;

  private final Process process;
  private final ProcessHandle server;
  private final boolean hasShell;

  private ServerProcess(Process process, ProcessHandle server, boolean hasShell) {
    this.process = process;
    this.server = server;
    this.hasShell = hasShell;
  }

  /**
   * Starts the server on {@code home/data} and waits until it accepts connections.
   *
   * @param options the port and additional options
   * @throws PortTakenException if another process uses its port
   */
  static ServerProcess start(Installation installation, Path home, List<String> options)
      throws IOException {
    Path log = home.resolve("server.log");
    long logBefore = Files.exists(log) ? Files.size(log) : 0;
    ServerProcess started = launch(installation, home, options);
    started.awaitReady(log, logBefore);
    return started;
  }

  /** The options of both initialization and server. */
  static List<String> commonOptions(Installation installation, Path data) throws IOException {
    List<String> options =
        new ArrayList<>(
            List.of(
                "--no-defaults",
                "--basedir=" + installation.server(),
                "--lc-messages-dir=" + installation.share(),
                "--datadir=" + data,
                // A server deletes files in its folder for temporary tables when it starts.
                "--tmpdir=" + data));
    options.addAll(SystemTables.FILE_OPTIONS);
    if (installation.platform().hasShell() && isRoot(data)) {
      options.add("--user=root");
    }
    return options;
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /** Returns the server's process id. */
  long pid() {
    return server.pid();
  }

  /** Requests a stop and waits for it. */
  void stop() throws IOException {
    if (hasShell) {
      process.getOutputStream().write("stop\n".getBytes(StandardCharsets.US_ASCII));
      process.getOutputStream().flush();
    } else {
      server.destroy();
    }
    if (!ended(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
      kill();
    }
    process.getOutputStream().close();
  }

  /** Kills the server, like a power failure, and waits until it has ended. */
  void kill() throws IOException {
    server.destroyForcibly();
    if (!ended(LONGEST_STOP_SECONDS, TimeUnit.SECONDS)) {
      throw new IOException("the server's process " + server.pid() + " cannot be killed");
    }
    process.getOutputStream().close();
  }

  private static ServerProcess launch(Installation installation, Path home, List<String> options)
      throws IOException {
    List<String> command = new ArrayList<>();
    boolean hasShell = installation.platform().hasShell();
    if (hasShell) {
      command.addAll(List.of("sh", "-c", SHELL, "sh", home.toString()));
    }
    command.add(installation.executable().toString());
    command.addAll(commonOptions(installation, home.resolve("data")));
    command.addAll(options);
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    if (hasShell) {
      Process shell = builder.start();
      return new ServerProcess(shell, serverOf(shell), true);
    }
    Path log = home.resolve("server.log");
    Process process =
        builder.redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())).start();
    Runtime.getRuntime().addShutdownHook(new Thread(process::destroy, "stop-test-server"));
    return new ServerProcess(process, process.toHandle(), false);
  }

  private static ProcessHandle serverOf(Process shell) throws IOException {
    BufferedReader output = shell.inputReader(StandardCharsets.US_ASCII);
    String pid = output.readLine();
    if (pid == null || !pid.matches("[0-9]+")) {
      shell.destroyForcibly();
      throw new IOException("sh did not start the server: " + pid);
    }
    return ProcessHandle.of(Long.parseLong(pid))
        .orElseThrow(() -> new IOException("the server ended at once"));
  }

  private void awaitReady(Path log, long logBefore) throws IOException {
    long deadline = System.nanoTime() + LONGEST_START_NANOS;
    String text;
    do {
      boolean ended = ended(5, TimeUnit.MILLISECONDS);
      text = read(log, logBefore);
      if (text.contains(READY)) {
        return;
      }
      if (ended) {
        throw failure(text);
      }
    } while (System.nanoTime() < deadline && !Thread.currentThread().isInterrupted());
    kill();
    throw failure(text);
  }

  private static IOException failure(String log) {
    String message = "the server did not start:\n" + Directories.lastLines(log, 20);
    return log.contains(PORT_TAKEN) ? new PortTakenException(message) : new IOException(message);
  }

  private boolean ended(long longest, TimeUnit unit) {
    try {
      return process.waitFor(longest, unit);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static String read(Path log, long from) throws IOException {
    if (!Files.exists(log)) {
      return "";
    }
    try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
      byte[] bytes = new byte[Math.toIntExact(Math.max(0, file.length() - from))];
      file.seek(from);
      file.readFully(bytes);
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }

  /** The server refuses to run as root without this option. */
  private static boolean isRoot(Path data) throws IOException {
    return Integer.valueOf(0).equals(Files.getAttribute(data, "unix:uid"));
  }

  /** Another process uses the port. */
  static final class PortTakenException extends IOException {

    private static final long serialVersionUID = 1L;

    PortTakenException(String message) {
      super(message);
    }
  }
}
