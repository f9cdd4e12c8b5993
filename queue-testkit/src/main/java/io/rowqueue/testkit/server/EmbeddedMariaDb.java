package io.rowqueue.testkit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB server, started from a jar on the class path. It listens on the loopback only, on
 * a free port, and ends with this JVM, even with {@code kill -9}: a shell holds the server, and
 * lets go when this process's end of its input closes. Runs as root and as any other user.
 * Thread-safe.
 *
 * <p>The session time zone is +05:00, so that a test notices a time that leaks through it.
 */
public final class EmbeddedMariaDb implements AutoCloseable {

  private static final String USER = "it";
  private static final String PASSWORD = "it";
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The server lives as long as the shell's input is open. */
  private static final String LIVE_WITH_PARENT =
      "\"$@\" </dev/null & p=$!; trap 'kill $p' TERM INT; cat >/dev/null; kill $p; wait $p";

  private final Installation installation;
  private final Path directory;
  private final int port;
  private final List<String> options;
  private @Nullable Process shell;

  private EmbeddedMariaDb(
      Installation installation, Path directory, int port, List<String> options) {
    this.installation = installation;
    this.directory = directory;
    this.port = port;
    this.options = options;
  }

  /**
   * Starts a server with an empty data directory of its own.
   *
   * @param options more options for the server, such as {@code --max-connections=500}
   * @throws IllegalStateException if the server's jar is not on the class path, or does not start
   */
  public static EmbeddedMariaDb start(String... options) {
    try {
      Installation installation = Installation.unpacked();
      Path directory = Files.createTempDirectory("rowqueue-mariadb-");
      installation.copyTemplateTo(directory.resolve("data"));
      EmbeddedMariaDb server =
          new EmbeddedMariaDb(installation, directory, freePort(), List.of(options));
      server.restart();
      return server;
    } catch (IOException e) {
      throw new UncheckedIOException("the embedded MariaDB could not be set up", e);
    }
  }

  /** The JDBC URL of {@code database} on this server, without user and password. */
  public String jdbcUrl(String database) {
    return "jdbc:mysql://127.0.0.1:" + port + "/" + database;
  }

  /** An account with every privilege. */
  public String user() {
    return USER;
  }

  /** Its password. */
  public String password() {
    return PASSWORD;
  }

  /** Where it listens, on 127.0.0.1. */
  public int port() {
    return port;
  }

  /** Starts the server again on its data and port; without effect while it runs. */
  public synchronized void restart() {
    if (shell != null) {
      return;
    }
    try {
      Process started = launch();
      shell = started;
      awaitReady(started);
    } catch (IOException e) {
      throw new UncheckedIOException("the embedded MariaDB could not be started", e);
    }
  }

  /** Stops the server in good order and keeps its data. */
  public synchronized void stop() {
    Process running = shell;
    if (running == null) {
      return;
    }
    shell = null;
    end(running);
  }

  /** Ends the server as a power cut would, and keeps its data. */
  public synchronized void kill() {
    Process running = shell;
    if (running == null) {
      return;
    }
    shell = null;
    running.descendants().forEach(ProcessHandle::destroyForcibly);
    end(running);
  }

  /** Stops the server and deletes its data. */
  @Override
  public void close() {
    stop();
    try {
      Directories.delete(directory);
    } catch (IOException e) {
      throw new UncheckedIOException("the data of the embedded MariaDB could not be deleted", e);
    }
  }

  private static void end(Process running) {
    try {
      running.getOutputStream().close();
      if (!running.waitFor(30, TimeUnit.SECONDS)) {
        running.descendants().forEach(ProcessHandle::destroyForcibly);
        running.destroyForcibly();
      }
    } catch (IOException e) {
      running.destroyForcibly();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private Process launch() throws IOException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", LIVE_WITH_PARENT, "sh"));
    command.add(installation.server().toString());
    command.addAll(
        List.of(
            "--no-defaults",
            "--basedir=" + installation.root(),
            "--datadir=" + directory.resolve("data"),
            "--socket=" + directory.resolve("s"),
            "--pid-file=" + directory.resolve("pid"),
            "--port=" + port,
            "--bind-address=127.0.0.1",
            "--skip-name-resolve",
            "--init-file=" + accounts(),
            "--default-time-zone=+05:00",
            "--character-set-server=utf8mb4",
            "--max-connections=500",
            "--innodb-log-file-size=96M",
            "--innodb-buffer-pool-size=256M"));
    Installation.rootOption().ifPresent(command::add);
    command.addAll(options);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()))
        .start();
  }

  private Path log() {
    return directory.resolve("server.log");
  }

  private Path accounts() throws IOException {
    String account = "'" + USER + "'@'%'";
    return Files.writeString(
        directory.resolve("init.sql"),
        "CREATE DATABASE IF NOT EXISTS it;\n"
            + ("CREATE USER IF NOT EXISTS " + account + " IDENTIFIED BY '" + PASSWORD + "';\n")
            + ("GRANT ALL ON *.* TO " + account + " WITH GRANT OPTION;\n"));
  }

  private void awaitReady(Process started) throws IOException {
    long deadline = System.nanoTime() + START_NANOS;
    SQLException last;
    do {
      try {
        DriverManager.getConnection(jdbcUrl("it"), USER, PASSWORD).close();
        return;
      } catch (SQLException e) {
        last = e;
      }
    } while (!ended(started) && System.nanoTime() < deadline);
    throw new IOException(
        "it does not answer; the end of its log:\n" + Directories.tail(log(), 20), last);
  }

  /** Waits a moment; true if the process ended in it. */
  private static boolean ended(Process process) {
    try {
      return process.waitFor(30, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return true;
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }
}
