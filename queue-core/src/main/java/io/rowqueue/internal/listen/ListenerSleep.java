package io.rowqueue.internal.listen;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The statement in which a listener waits. Its text contains the id of its connection, so that an
 * observer who sees both in a process list can verify that this is a listener, and which.
 */
public final class ListenerSleep {

  private static final String HEAD = "SELECT /* rowqueue listener ";
  private static final String TAIL = " */ SLEEP(";

  /** MariaDB reports a killed SLEEP as an error; on MySQL it returns 1. */
  private static final int QUERY_INTERRUPTED = 1317;

  private static final int NO_SUCH_THREAD = 1094;

  private ListenerSleep() {}

  /**
   * Sleeps on {@code connection}, which must be in auto-commit mode, or it would hold back the
   * server's purge.
   *
   * @param id the connection's id on the server
   * @param longest in whole seconds
   * @return whether the sleep was ended early
   * @throws SQLException if the connection is lost
   */
  public static boolean sleep(Connection connection, long id, Duration longest)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(HEAD + id + TAIL + longest.toSeconds() + ")")) {
      return row.next() && row.getInt(1) == 1;
    } catch (SQLException e) {
      if (e.getErrorCode() == QUERY_INTERRUPTED) {
        return true;
      }
      throw e;
    }
  }

  /**
   * Ends the sleep on connection {@code id}, which was just seen asleep.
   *
   * @throws SQLException if this connection lacks the privilege, or is lost
   */
  public static void end(Connection connection, long id) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("KILL QUERY " + id);
    } catch (SQLException e) {
      if (e.getErrorCode() != NO_SUCH_THREAD) {
        throw e;
      }
      // The connection has ended since the query.
    }
  }

  /**
   * Whether {@code statement}, from a process list, is a listener's sleep on connection {@code id}.
   */
  static boolean isOn(long id, @Nullable String statement) {
    return statement != null && statement.startsWith(HEAD + id + TAIL);
  }
}
