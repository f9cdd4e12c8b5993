package io.rowqueue.internal.listen;

import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.RenderedStatement;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.message.TopicNames;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
    return Jdbc.rows(connection, sql, Listeners::listener);
  }

  private static Listener listener(ResultSet row) throws SQLException {
    long id = row.getLong(2);
    return new Listener(
        id,
        Set.copyOf(TopicNames.split(row.getString(1))),
        row.getObject(3) != null,
        ListenerSleep.isOn(id, row.getString(4)),
        row.getLong(5));
  }

  /** The listeners of those of {@code waiters} that are on this server and asleep now. */
  static List<Long> asleep(Connection connection, Collection<String> waiters) throws SQLException {
    ServerDialect dialect = ServerDialect.of(connection);
    List<String> names = RenderedStatement.padded(List.copyOf(waiters));
    String sql =
        WAITERS.formatted(dialect.statusSchema(), Jdbc.marks(names.size()), dialect.identity());
    List<Optional<Long>> found =
        Jdbc.rows(connection, sql, row -> asleep(row.getLong(1), row.getString(2)), names);
    return found.stream().flatMap(Optional::stream).toList();
  }

  private static Optional<Long> asleep(long id, @Nullable String info) {
    return ListenerSleep.isOn(id, info) ? Optional.of(id) : Optional.empty();
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
    return Jdbc.rows(connection, sql, row -> ListenerSleep.isOn(id, row.getString(1)), id)
        .contains(true);
  }

  /**
   * Returns why no connection of this server sees a listener; null if that has another reason. To
   * be called when none is seen.
   */
  public static @Nullable String whyUnseen(Connection connection) throws SQLException {
    boolean isEmpty =
        ServerDialect.of(connection) == ServerDialect.MYSQL
            && Jdbc.rows(connection, "SELECT @@performance_schema", row -> row.getInt(1))
                .contains(0);
    return isEmpty
        ? "the process list is empty, because the server runs with performance_schema=OFF; switch"
            + " it on"
        : null;
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
