package io.rowqueue.proof.fault.plugin;

import io.rowqueue.handler.CancelMessage;
import io.rowqueue.handler.HandlerContext;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;

/**
 * What this process handled, line by line in a file: the one witness that needs no database, and
 * that outlives SIGKILL, since what was written is the kernel's. Thread-safe.
 *
 * <p>A line is {@code begin id claim attempt nanos} or {@code end id claim outcome nanos}; the
 * clock is the host's monotonic one, which all its processes share.
 */
public final class HandlingJournal {

  /** The environment variable that names the folder; the file is {@code PID.journal}. */
  public static final String VARIABLE = "FAULT_JOURNAL";

  /** Not a channel: the first handler that is interrupted while it writes would close that. */
  private static final FileOutputStream FILE = open();

  private HandlingJournal() {}

  static Path home() {
    return Path.of(System.getenv(VARIABLE));
  }

  private static FileOutputStream open() {
    try {
      Path path = home().resolve(ProcessHandle.current().pid() + ".journal");
      return new FileOutputStream(path.toFile(), true);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Runs {@code handling} between its two lines. */
  static void around(HandlerContext context, Work handling) throws SQLException {
    write("begin", context, context.attempt());
    String outcome = "failed";
    try {
      handling.run();
      outcome = "returned";
    } catch (CancelMessage e) {
      outcome = "cancelled";
      throw e;
    } finally {
      write("end", context, outcome);
    }
  }

  /** One write, so that a kill cannot leave half a line before another one. */
  private static void write(String what, HandlerContext context, Object detail) {
    String line =
        "%s %d %d %s %d\n"
            .formatted(
                what, context.id().value(), context.claimNumber(), detail, System.nanoTime());
    try {
      FILE.write(line.getBytes(StandardCharsets.US_ASCII));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  interface Work {
    void run() throws SQLException;
  }
}
