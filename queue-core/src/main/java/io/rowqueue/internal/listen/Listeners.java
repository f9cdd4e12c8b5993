package io.rowqueue.internal.listen;

import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.message.TopicNames;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** Reads the listeners that a connection's server knows; by JDBC, since producers do it. */
public final class Listeners {

  /** It has no parameters, because a producer's commit waits for it. */
  private static final String WORKERS =
      "SELECT queue_worker.topics, queue_worker.listener_connection, p.id, p.info, CONNECTION_ID()"
          + " FROM queue_worker LEFT JOIN %s.processlist p ON p.id ="
          + " queue_worker.listener_connection WHERE queue_worker.is_alive = 1 AND"
          + " queue_worker.lease_until >= UTC_TIMESTAMP(6) AND queue_worker.listener_connection IS"
          + " NOT NULL AND queue_worker.server_identity = %s"
          + SessionSettings.ALL_ROWS;

  private static final String WAITERS =
      "SELECT queue_result_listener.listener_connection, p.info FROM queue_result_listener FORCE"
          + " INDEX (PRIMARY) JOIN %s.processlist p ON p.id ="
          + " queue_result_listener.listener_connection WHERE queue_result_listener.listener IN"
          + " (%s) AND queue_result_listener.lease_until >= UTC_TIMESTAMP(6) AND"
          + " queue_result_listener.server_identity = %s"
          + SessionSettings.ALL_ROWS;

  private static final String ONE = "SELECT p.info FROM %s.processlist p WHERE p.id = ?";

  private Listeners() {}

  /** The workers' listeners on the server of {@code connection}, from the workers' rows. */
  static List<Listener> on(Connection connection) throws SQLException {
    ServerDialect dialect = ServerDialect.of(connection);
    String sql = WORKERS.formatted(dialect.statusSchema(), dialect.identity());
    List<Listener> listeners = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql);
        ResultSet rows = statement.executeQuery()) {
      while (rows.next()) {
        long id = rows.getLong(2);
        listeners.add(
            new Listener(
                id,
                Set.copyOf(TopicNames.split(rows.getString(1))),
                rows.getObject(3) != null,
                ListenerSleep.isOn(id, rows.getString(4)),
                rows.getLong(5)));
      }
    }
    return listeners;
  }

  /** The listeners of those of {@code waiters} that are on this server and asleep now. */
  static List<Long> asleep(Connection connection, Collection<String> waiters) throws SQLException {
    ServerDialect dialect = ServerDialect.of(connection);
    List<String> names = RenderedStatement.padded(List.copyOf(waiters));
    String marks = String.join(", ", Collections.nCopies(names.size(), "?"));
    String sql = WAITERS.formatted(dialect.statusSchema(), marks, dialect.identity());
    List<Long> asleep = new ArrayList<>();
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int i = 0; i < names.size(); i++) {
        statement.setString(i + 1, names.get(i));
      }
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          long id = rows.getLong(1);
          if (ListenerSleep.isOn(id, rows.getString(2))) {
            asleep.add(id);
          }
        }
      }
    }
    return asleep;
  }

  /**
   * Ends the sleep of the listener on the connection {@code id}, if it is asleep.
   *
   * @return whether it was, as far as this connection's account may see
   * @throws SQLException if this connection lacks the privilege, or is lost
   */
  public static boolean wake(Connection connection, long id) throws SQLException {
    if (!isAsleep(connection, id)) {
      return false;
    }
    ListenerSleep.end(connection, id);
    return true;
  }

  private static boolean isAsleep(Connection connection, long id) throws SQLException {
    String sql = ONE.formatted(ServerDialect.of(connection).statusSchema());
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setLong(1, id);
      try (ResultSet row = statement.executeQuery()) {
        return row.next() && ListenerSleep.isOn(id, row.getString(1));
      }
    }
  }

  /**
   * A worker's listener.
   *
   * @param connection its id on this server
   * @param topics the topics that its worker claims
   * @param visible whether this account sees it in the process list
   * @param asleep whether it waits for a notification now
   * @param asker the id of the connection that ran the query
   */
  record Listener(
      long connection, Set<String> topics, boolean visible, boolean asleep, long asker) {}
}
