package io.rowqueue;

import io.rowqueue.internal.listen.JooqListeners;
import io.rowqueue.internal.listen.KillQueryNotifier;
import io.rowqueue.internal.listen.ListenerSleep;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jooq.exception.DataAccessException;

/** Creates notifiers. */
public final class WorkerNotifiers {

  private WorkerNotifiers() {}

  /**
   * A notifier for the workers whose queue is in the schema of {@code dataSource}. Needs the
   * workers' own account, or the privileges PROCESS and CONNECTION_ADMIN. Without them, and behind
   * a proxy that changes connection ids, it logs one warning and leaves the workers to polling.
   */
  public static WorkerNotifier over(DataSource dataSource) {
    return new KillQueryNotifier(dataSource);
  }

  /**
   * Ends the sleep of one listener, if it is asleep.
   *
   * @return whether it was
   * @throws SQLException if this connection lacks the privilege, or is lost
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
