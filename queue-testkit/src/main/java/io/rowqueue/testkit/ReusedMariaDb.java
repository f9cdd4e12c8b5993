package io.rowqueue.testkit;

import io.rowqueue.internal.text.Humanize;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An embedded server that outlives its JVM, so that the next test run finds it running. A shell
 * supervises it, and stops it and deletes its data when no JVM has used it for the configured time.
 *
 * <p>Its folder is next to the installation. Runs with different options use different servers.
 */
final class ReusedMariaDb {

  private static final Logger log = LoggerFactory.getLogger(ReusedMariaDb.class);

  private static final Duration LONGEST_START = Duration.ofSeconds(90);

  private static final int MOST_PORTS = 10;

  /** Starts it in its own session, so that signals to the tests' process group do not reach it. */
  private static final Path SETSID = Path.of("/usr/bin/setsid");

  /**
   * Each JVM that uses it touches the file {@code used} periodically. Ignores signals such as the
   * terminal's Ctrl-C.
   */
  private static final String SHELL =
      """
      home=$1
      seconds=$2
      shift 2
      trap '' INT HUP TERM
      echo $$ >"$home/shell"
      "$@" </dev/null >>"$home/server.log" 2>&1 &
      server=$!
      exec >/dev/null 2>&1 </dev/null
      while kill -0 "$server"; do
        : >"$home/looked"
        sleep "$seconds"
        if ! [ "$home/used" -nt "$home/looked" ]; then
          kill -9 "$server"
          break
        fi
      done
      wait "$server"
      cd /
      rm -rf "$home"
      """;

  private final Installation installation;
  private final Path folder;
  private final Duration idle;
  private final List<String> options;

  private ReusedMariaDb(Installation installation, Duration idle, List<String> options) {
    this.installation = installation;
    this.idle = idle;
    this.options = options;
    Path made = Objects.requireNonNull(installation.server().getParent());
    String name = made.getFileName() + ".reused-" + Integer.toHexString(options.hashCode());
    this.folder = made.resolveSibling(name);
  }

  /**
   * Returns the URL of the server that runs with {@code options}, starting it if necessary.
   *
   * @param idle how long it stays without a JVM that uses it
   * @throws TestServerException if it cannot be started, or the platform has no shell to supervise
   *     it
   */
  static String url(Duration idle, String... options) {
    Installation installation = Installation.unpacked();
    if (!installation.platform().hasShell()) {
      throw new TestServerException(
          "rowqueue.test.reuse needs a POSIX shell, and this platform has none; leave it out, or"
              + " name a server of your own with "
              + TestServer.HOW_TO_NAME_ONE);
    }
    if (idle.compareTo(Duration.ofSeconds(1)) < 0) {
      throw new TestServerException(
          "rowqueue.test.reuse must be a second or more, not " + Humanize.duration(idle));
    }
    ReusedMariaDb server = new ReusedMariaDb(installation, idle, List.of(options));
    try {
      Path home = server.findOrStart();
      server.keepUsing(home);
      return url(port(home));
    } catch (IOException e) {
      throw new TestServerException("the reused MariaDB: " + e.getMessage(), e);
    }
  }

  private static String url(int port) {
    return "jdbc:mysql://127.0.0.1:%d/%s?user=%s&password=%s"
        .formatted(port, SystemTables.SCHEMA, SystemTables.USER, SystemTables.PASSWORD);
  }

  /** Only one JVM at a time checks and starts. */
  private Path findOrStart() throws IOException {
    Files.createDirectories(folder);
    try (FileChannel channel =
            FileChannel.open(
                folder.resolve("lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      Objects.requireNonNull(lock);
      Path current = folder.resolve("current");
      if (Files.exists(current)) {
        Path home = folder.resolve(Files.readString(current));
        if (Files.isDirectory(home) && isThere(home)) {
          return home;
        }
      }
      deleteLeftovers();
      Path home = start();
      Files.writeString(current, String.valueOf(home.getFileName()));
      return home;
    }
  }

  /** Cleans up servers whose shells were killed, as by a restart of the machine. */
  private void deleteLeftovers() throws IOException {
    try (Stream<Path> homes = Files.list(folder)) {
      for (Path home : homes.filter(Files::isDirectory).toList()) {
        if (!isHeld(home) && !isThere(home)) {
          Directories.delete(home);
        }
      }
    }
  }

  /**
   * Returns whether its shell may be alive. The process id may belong to another process by now;
   * then the server is kept.
   */
  private static boolean isHeld(Path home) {
    try {
      long shell = Long.parseLong(Files.readString(home.resolve("shell")).strip());
      return ProcessHandle.of(shell).isPresent();
    } catch (IOException | NumberFormatException e) {
      log.debug("the process that holds {} cannot be found: {}", home, e.getMessage());
      return false;
    }
  }

  /** Touched first, so that the server does not end between the check and the use. */
  private static boolean isThere(Path home) {
    try {
      touch(home);
      return answers(port(home));
    } catch (IOException | NumberFormatException e) {
      log.debug("the server in {} is gone: {}", home, e.getMessage());
      return false;
    }
  }

  private static int port(Path home) throws IOException {
    return Integer.parseInt(Files.readString(home.resolve("port")).strip());
  }

  private static boolean answers(int port) {
    try (Connection connection = DriverManager.getConnection(url(port))) {
      return connection.isValid(5);
    } catch (SQLException e) {
      return false;
    }
  }

  private Path start() throws IOException {
    for (int left = MOST_PORTS; left > 0; left--) {
      Path home = Files.createTempDirectory(folder, "run-");
      installation.copyDataTo(home.resolve("data"));
      int port = EmbeddedMariaDb.freePort();
      Files.writeString(home.resolve("port"), Integer.toString(port));
      touch(home);
      Process shell = launch(home, port);
      if (isReady(shell, port)) {
        return home;
      }
    }
    throw new IOException("the server did not start; its logs lie in " + folder);
  }

  private Process launch(Path home, int port) throws IOException {
    List<String> command = new ArrayList<>();
    if (Files.isExecutable(SETSID)) {
      command.add(SETSID.toString());
    }
    command.addAll(List.of("sh", "-c", SHELL, "sh", home.toString()));
    command.add(Long.toString(idle.toSeconds()));
    command.add(installation.executable().toString());
    command.addAll(ServerProcess.commonOptions(installation, home.resolve("data")));
    command.addAll(EmbeddedMariaDb.DEFAULTS);
    command.add("--port=" + port);
    command.addAll(options);
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  private static boolean isReady(Process shell, int port) {
    long deadline = System.nanoTime() + LONGEST_START.toNanos();
    try {
      while (!shell.waitFor(20, TimeUnit.MILLISECONDS) && System.nanoTime() < deadline) {
        if (answers(port)) {
          return true;
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    shell.destroyForcibly();
    return false;
  }

  private static void touch(Path home) throws IOException {
    Path used = home.resolve("used");
    if (!Files.exists(used)) {
      Files.createFile(used);
    }
    Files.setLastModifiedTime(used, FileTime.from(Instant.now()));
  }

  /** Until this JVM ends. */
  private void keepUsing(Path home) {
    long millis = Math.max(250, idle.toMillis() / 5);
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  touch(home);
                  TimeUnit.MILLISECONDS.sleep(millis);
                }
              } catch (IOException e) {
                log.debug("the server in {} is gone: {}", home, e.getMessage());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "test-server-in-use");
    thread.setDaemon(true);
    thread.start();
  }
}
