package io.rowqueue;

import io.rowqueue.internal.listen.JooqListeners;
import io.rowqueue.internal.listen.KillQueryNotifier;
import io.rowqueue.internal.listen.ListenerSleep;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;

/** Makes rings. */
public final class WorkerNotifiers {

  private WorkerNotifiers() {}

  /**
   * A ring for the workers whose queue lies in the schema of {@code dataSource}. Needs the workers'
   * own account, or the privileges PROCESS and CONNECTION_ADMIN; without them, and behind a proxy
   * that gives connections other ids, it says so once and leaves the workers to their own looks.
   */
  public static WorkerNotifier over(DataSource dataSource) {
    return new KillQueryNotifier(dataSource);
  }

  /**
   * Ends the sleep of one listener, if it is seen asleep.
   *
   * @return whether it was
   * @throws SQLException if this connection may not end it, or is lost
   */
  public static boolean notifyWorkers(Connection connection, long listener) throws SQLException {
    try {
      if (!JooqListeners.isAsleep(connection, listener)) {
        return false;
      }
    } catch (DataAccessException e) {
      throw new SQLException(e.getMessage(), e);
    }
    ListenerSleep.end(connection, listener);
    return true;
  }
}
