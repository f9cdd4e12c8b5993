package io.rowqueue.internal.listen;

import com.mysql.cj.jdbc.JdbcConnection;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.listen.JooqListeners.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Remembers that rings do not arrive, says so once, and lets one through now and then to see
 * whether somebody has mended it. Thread-safe.
 */
final class NotificationFailures {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationFailures.class);

  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /**
   * The row of a worker that ends, or whose listener broke, names a connection that is gone, until
   * its next renewal or the end of its lease; what is not seen for longer is hidden.
   */
  private static final long BLIND_NANOS = Duration.ofSeconds(20).toNanos();

  private static final int NOT_OWNER = 1095;
  private static final int NO_ACCESS = 1227;

  private static final String CONSEQUENCE =
      "; messages are still handled, but found by the workers' own looks, up to a second later";

  private final AtomicBoolean said = new AtomicBoolean();
  private final AtomicReference<@Nullable Long> blindSince = new AtomicReference<>();
  private final AtomicLong pausedNanos = new AtomicLong();
  private volatile boolean paused;

  /** Whether nothing is tried at the moment. */
  boolean pauses(long nowNanos) {
    return paused && nowNanos - pausedNanos.get() < PAUSE_NANOS;
  }

  /** Whether what was seen of the listeners shows that no ring can reach them. */
  boolean keepsFrom(List<Listener> listeners, Connection connection) throws SQLException {
    if (listeners.isEmpty()) {
      return false;
    }
    if (ProxyCheck.isBehindProxy(connection, listeners.get(0).asker())) {
      pause(
          "a proxy stands between this producer and the server, and gives connections other ids,"
              + " so that its rings could hit a stranger");
      return true;
    }
    if (listeners.stream().anyMatch(Listener::visible)) {
      blindSince.set(null);
      return false;
    }
    if (isBlindTooLong(System.nanoTime())) {
      pause(
          "this account does not see the workers' listeners in the process list: ring with the"
              + " workers' own account, or grant it PROCESS and CONNECTION_ADMIN (`queue-worker"
              + " grants notifier` prints them)");
    }
    return true;
  }

  private boolean isBlindTooLong(long nowNanos) {
    Long since = blindSince.get();
    if (since == null) {
      blindSince.compareAndSet(null, nowNanos);
      return false;
    }
    return nowNanos - since > BLIND_NANOS;
  }

  /** A ring was not possible. */
  void failed(Exception failure) {
    SQLException error = sqlError(failure);
    // What has no code is no answer of the server: a connection that the pool has closed.
    if (error == null || error.getErrorCode() == 0 || TransientFailures.isTransient(error)) {
      LOG.debug("a ring failed; the workers find the messages themselves", failure);
    } else if (error.getErrorCode() == NOT_OWNER || error.getErrorCode() == NO_ACCESS) {
      pause(
          "this account may not end the workers' sleep (%s): ring with the workers' own account, or grant it CONNECTION_ADMIN (`queue-worker grants notifier`)"
              .formatted(error.getMessage()));
    } else {
      pause(
          "this account cannot look for the workers' listeners (%s): it needs SELECT on queue_worker (`queue-worker grants notifier`), and a server with a process list in its performance_schema"
              .formatted(error.getMessage()));
    }
  }

  /** A ring has arrived. */
  void over() {
    paused = false;
    blindSince.set(null);
  }

  private void pause(String why) {
    pausedNanos.set(System.nanoTime());
    paused = true;
    if (said.compareAndSet(false, true)) {
      LOG.warn("workers cannot be woken: {}{}", why, CONSEQUENCE);
    }
  }

  private static @Nullable SQLException sqlError(Exception failure) {
    Throwable cause = failure;
    while (cause != null) {
      if (cause instanceof SQLException error) {
        return error;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /**
   * A server tells a client its connection's id twice: in its greeting, which a proxy writes
   * itself, and in the answer to a query, which it passes on.
   */
  private static final class ProxyCheck {

    private ProxyCheck() {}

    /**
     * Whether the two differ.
     *
     * @param requested what the server has answered to {@code SELECT CONNECTION_ID()}
     */
    static boolean isBehindProxy(Connection connection, long requested) throws SQLException {
      try {
        return connection.isWrapperFor(JdbcConnection.class)
            && connection.unwrap(JdbcConnection.class).getId() != requested;
      } catch (NoClassDefFoundError e) {
        // The team connects with another driver, which does not tell.
        return false;
      }
    }
  }
}
