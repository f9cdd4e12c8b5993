package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.server.EmbeddedMariaDb;
import io.rowqueue.testkit.server.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The database server of the harness, which faults may kill. */
interface Server extends AutoCloseable {

  /** Where schemas are made. */
  TestServer address();

  /** Whether {@link #kill} and {@link #restart} can be called. */
  boolean restarts();

  /** SIGKILL. */
  void kill(QueueDatabase database) throws IOException;

  /** Starts it again on its data, and returns when it takes connections. */
  void restart() throws IOException, InterruptedException;

  @Override
  void close();

  /** A MariaDB from its jar. */
  static Server embedded() {
    EmbeddedMariaDb server = EmbeddedMariaDb.start();
    return new Server() {
      @Override
      public TestServer address() {
        return TestServer.of(server);
      }

      @Override
      public boolean restarts() {
        return true;
      }

      @Override
      public void kill(QueueDatabase database) {
        server.kill();
      }

      @Override
      public void restart() {
        server.restart();
      }

      @Override
      public void close() {
        server.close();
      }
    };
  }

  /**
   * A server that runs on this host already.
   *
   * @param startCommand a shell command that starts it when it is down and returns when it takes
   *     connections; null if it must not be killed
   */
  static Server at(String url, @Nullable String startCommand) {
    return new Server() {
      @Override
      public TestServer address() {
        return TestServer.at(url);
      }

      @Override
      public boolean restarts() {
        return startCommand != null;
      }

      @Override
      public void kill(QueueDatabase database) throws IOException {
        String file = database.strings("SELECT @@pid_file").get(0);
        long pid = Long.parseLong(Files.readString(Path.of(file)).strip());
        ProcessHandle process = ProcessHandle.of(pid).orElseThrow();
        process.destroyForcibly();
        process.onExit().orTimeout(30, TimeUnit.SECONDS).join();
      }

      @Override
      public void restart() throws IOException, InterruptedException {
        Process start =
            new ProcessBuilder("sh", "-c", startCommand)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (start.waitFor() != 0) {
          throw new IllegalStateException("the server did not start again: " + startCommand);
        }
      }

      @Override
      public void close() {
        // Somebody else's.
      }
    };
  }
}
