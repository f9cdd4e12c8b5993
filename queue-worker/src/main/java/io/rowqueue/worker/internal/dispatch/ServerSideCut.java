package io.rowqueue.worker.internal.dispatch;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.ServerSession;
import io.rowqueue.worker.internal.WorkerPools;
import io.rowqueue.worker.internal.WorkerThreads;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes a connection on both sides. If it were aborted only on the client, its statement would
 * continue on the server and hold its locks until the server writes to the closed socket.
 * Thread-safe.
 */
@Singleton
final class ServerSideCut implements Handling.ConnectionCutter {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSideCut.class);

  private static final String WHO = "SELECT DATABASE(), SUBSTRING_INDEX(USER(), '@', 1)";

  /**
   * MySQL's information_schema fails while any session runs a statement with binary data in its
   * text.
   */
  private static final String SESSIONS = "SHOW PROCESSLIST";

  private static final Set<String> BUSY = Set.of("Query", "Execute");

  private final WorkerPools pools;
  private final WorkerThreads threads;
  private final AtomicBoolean refused = new AtomicBoolean();

  @Inject
  ServerSideCut(WorkerPools pools, WorkerThreads threads) {
    this.pools = pools;
    this.threads = threads;
  }

  @Override
  public void cut(Connection connection) throws SQLException {
    ServerSession session = ServerSession.of(connection);
    connection.abort(Runnable::run);
    // The caller holds the attempt's lock, and a slow server must not block other attempts.
    threads.start("cut", () -> threads.guarded("cutting", () -> endInServer(session)));
  }

  /** Connection ids are per server: after a failover, the id belongs to another session. */
  private void endInServer(ServerSession session) {
    try (Connection other = pools.protocol().getConnection()) {
      boolean sameServer = ServerSession.of(other).server().equals(session.server());
      if (sameServer && isOurs(other, session.id())) {
        kill(other, session.id());
      }
      other.rollback();
    } catch (SQLException e) {
      if (refused.compareAndSet(false, true)) {
        LOG.warn(
            "the statement of a handler that was cut off cannot be killed ({}); its locks are held"
                + " until it ends",
            FailureText.of(e));
      }
    }
  }

  /**
   * Behind a proxy the id may be the proxy's and match another session; so the session must have
   * our account and schema, and be busy.
   */
  private static boolean isOurs(Connection other, long id) throws SQLException {
    try (Statement poll = other.createStatement();
        ResultSet me = poll.executeQuery(WHO);
        Statement list = other.createStatement();
        ResultSet session = list.executeQuery(SESSIONS)) {
      me.next();
      boolean found = false;
      while (!found && session.next()) {
        found = session.getLong("Id") == id;
      }
      return found
          && me.getString(1).equals(session.getString("db"))
          && me.getString(2).equals(session.getString("User"))
          && BUSY.contains(session.getString("Command"));
    }
  }

  private static void kill(Connection other, long id) throws SQLException {
    try (Statement statement = other.createStatement()) {
      statement.execute("KILL CONNECTION " + id);
    }
  }
}
