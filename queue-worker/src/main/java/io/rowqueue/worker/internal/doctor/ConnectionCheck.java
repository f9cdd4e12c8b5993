package io.rowqueue.worker.internal.doctor;

import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.internal.listen.ListenerSleep;
import io.rowqueue.internal.listen.Listeners;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Checks that a connection is a single session of one server, as locks and notifications require: a
 * proxy may spread its statements over several sessions.
 */
final class ConnectionCheck {

  private static final String SUBJECT = "connection";

  private static final Duration SLEEP = Duration.ofSeconds(2);

  private static final String LOCKS =
      "peers detect a dead worker when its lease expires, 15 s by default, instead of at"
          + " once; connect workers directly, or through a proxy that does not share sessions";

  private static final String POLLS = "idle workers find messages by polling, up to a second later";

  private static final String RINGS =
      POLLS
          + "; connect workers and producers directly, or through a proxy that forwards KILL QUERY";

  private final DataSource dataSource;

  ConnectionCheck(DataSource dataSource) {
    this.dataSource = dataSource;
  }

  List<Finding> find() {
    try (Connection one = dataSource.getConnection();
        Connection other = dataSource.getConnection()) {
      long id = id(one);
      if (id(one) != id) {
        return List.of(
            Finding.warning(SUBJECT, "its statements are spread over several sessions", LOCKS));
      }
      List<Finding> findings = new ArrayList<>();
      if (!keepsLock(one, other, id)) {
        findings.add(Finding.warning(SUBJECT, "a lock of GET_LOCK is not held", LOCKS));
      }
      String failure = failures(one, other, id);
      if (failure != null) {
        String unseen = Listeners.whyUnseen(one);
        findings.add(
            unseen == null
                ? Finding.warning(SUBJECT, "KILL QUERY does not arrive: " + failure, RINGS)
                : Finding.warning(SUBJECT, "wake-ups do not arrive: " + unseen, POLLS));
      }
      return findings.isEmpty()
          ? List.of(Finding.ok(SUBJECT, "locks are held, and wake-up notifications arrive"))
          : findings;
    } catch (SQLException e) {
      throw new DatabaseUnavailableException("it failed: " + e.getMessage(), e);
    }
  }

  /** The name is unique to the connection, so that concurrent checks do not conflict. */
  private static boolean keepsLock(Connection one, Connection other, long id) throws SQLException {
    String name = "rowqueue-doctor-" + id;
    if (requested(one, "SELECT GET_LOCK(?, 0)", name) != 1) {
      return false;
    }
    boolean seen = requested(other, "SELECT COALESCE(IS_USED_LOCK(?), 0)", name) == id;
    return requested(one, "SELECT COALESCE(RELEASE_LOCK(?), 0)", name) == 1 && seen;
  }

  /** Returns why a notification does not arrive; null if it does. */
  private static @Nullable String failures(Connection one, Connection other, long id) {
    CompletableFuture<Boolean> sleep =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return ListenerSleep.sleep(one, id, SLEEP);
              } catch (SQLException e) {
                throw new CompletionException(e);
              }
            },
            work -> new Thread(work, "queue-doctor-sleep").start());
    try {
      while (!sleep.isDone() && !Listeners.wake(other, id)) {
        Thread.onSpinWait();
      }
      return sleep.join() ? null : "the sleep of another connection was not interrupted";
    } catch (SQLException e) {
      sleep.join();
      return String.valueOf(e.getMessage());
    } catch (CompletionException e) {
      return String.valueOf(e.getCause() == null ? e : e.getCause().getMessage());
    }
  }

  private static long id(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  private static long requested(Connection connection, String query, String lock)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(query)) {
      statement.setString(1, lock);
      try (ResultSet row = statement.executeQuery()) {
        row.next();
        return row.getLong(1);
      }
    }
  }
}
