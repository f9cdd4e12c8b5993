package io.rowqueue.internal.listen;

import com.mysql.cj.jdbc.JdbcConnection;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.listen.Listeners.Listener;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that notifications fail, logs it once, and lets one through from time to time to see
 * whether they work again. Thread-safe.
 */
final class NotificationFailures {

  private static final Logger LOG = LoggerFactory.getLogger(NotificationFailures.class);

  private static final long PAUSE_NANOS = Duration.ofMinutes(1).toNanos();

  /**
   * After a worker has ended, or its listener has broken, its row names a dead connection until its
   * next renewal or the end of its lease. A listener that stays invisible for longer is hidden by
   * missing privileges.
   */
  private static final long BLIND_NANOS = Duration.ofSeconds(20).toNanos();

  private static final int NOT_OWNER = 1095;
  private static final int NO_ACCESS = 1227;

  private static final String CONSEQUENCE =
      "; messages are still handled, but workers find them by polling, up to a second later";

  private final AtomicBoolean said = new AtomicBoolean();
  private final AtomicReference<@Nullable Long> blindSince = new AtomicReference<>();
  private final AtomicLong pausedNanos = new AtomicLong();
  private volatile boolean paused;

  /** Whether notifications are suspended at the moment. */
  boolean pauses(long nowNanos) {
    return paused && nowNanos - pausedNanos.get() < PAUSE_NANOS;
  }

  /** Whether no notification can reach the listeners, as far as this connection can see. */
  boolean keepsFrom(List<Listener> listeners, Connection connection) throws SQLException {
    if (listeners.isEmpty()) {
      return false;
    }
    if (ProxyCheck.isBehindProxy(connection, listeners.get(0).asker())) {
      pause(
          "a proxy between this producer and the server changes connection ids,"
              + " so that a notification could interrupt another client's query");
      return true;
    }
    if (listeners.stream().anyMatch(Listener::visible)) {
      blindSince.set(null);
      return false;
    }
    if (isBlindTooLong(System.nanoTime())) {
      pause(
          Objects.requireNonNullElse(
              Listeners.whyUnseen(connection),
              "this account does not see the workers' listeners in the process list: notify with"
                  + " the workers' own account, or grant it PROCESS and CONNECTION_ADMIN"
                  + " (`queue-worker grants notifier` prints them)"));
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

  /** A notification failed. */
  void failed(Throwable failure) {
    SQLException error = ServerAnswer.in(failure);
    // An error without a code does not come from the server: the pool has closed the connection.
    if (error == null || error.getErrorCode() == 0 || TransientFailures.isTransient(error)) {
      LOG.debug("a notification failed; the workers find the messages by polling", failure);
    } else if (error.getErrorCode() == NOT_OWNER || error.getErrorCode() == NO_ACCESS) {
      pause(
          "this account may not wake the workers (%s): notify with the workers' own account, or grant it CONNECTION_ADMIN (`queue-worker grants notifier`)"
              .formatted(error.getMessage()));
    } else {
      pause(
          "this account cannot query the workers' listeners (%s): it needs SELECT on queue_worker (`queue-worker grants notifier`), and a server with a process list in its performance_schema"
              .formatted(error.getMessage()));
    }
  }

  /** A notification has succeeded. */
  void over() {
    paused = false;
    blindSince.set(null);
  }

  private void pause(String why) {
    pausedNanos.set(System.nanoTime());
    paused = true;
    if (said.compareAndSet(false, true)) {
      LOG.warn("workers cannot be notified: {}{}", why, CONSEQUENCE);
    }
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
