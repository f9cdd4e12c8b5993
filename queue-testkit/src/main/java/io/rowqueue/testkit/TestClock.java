package io.rowqueue.testkit;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The clock of one schema's sessions: the server's, until a test stops it. Both servers support
 * setting a session's {@code timestamp}, which UTC_TIMESTAMP and NOW return, in statements and in
 * column defaults. Thread-safe.
 */
final class TestClock {

  private static final int MICRO_DIGITS = 6;
  private static final long MICROS = TimeUnit.SECONDS.toMicros(1);

  private @Nullable Long micros;

  /** Stops it at the time of {@code connection}, unless it is already stopped. */
  synchronized void stop(Connection connection) throws SQLException {
    if (micros == null) {
      micros = now(connection);
    }
  }

  synchronized void advance(Duration by) {
    if (by.isNegative()) {
      throw new IllegalArgumentException("the clock only moves forward, not by " + by);
    }
    if (micros == null) {
      throw new IllegalStateException("the clock runs by itself until it is stopped");
    }
    micros += TimeUnit.NANOSECONDS.toMicros(by.toNanos());
  }

  /** Restarts it. */
  synchronized void run() {
    micros = null;
  }

  /** Returns its time in microseconds since 1970; null while it runs. */
  synchronized @Nullable Long standing() {
    return micros;
  }

  /** Applies it to the session of {@code connection}. */
  void apply(Connection connection) throws SQLException {
    Long standing = standing();
    if (standing != null) {
      set(connection, standing);
    }
  }

  static void set(Connection connection, long to) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET timestamp = " + BigDecimal.valueOf(to, MICRO_DIGITS).toPlainString());
    }
  }

  static Instant instant(long micros) {
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
  }

  static long now(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT UNIX_TIMESTAMP(NOW(6))")) {
      row.next();
      return row.getBigDecimal(1).multiply(BigDecimal.valueOf(MICROS)).longValueExact();
    }
  }
}
