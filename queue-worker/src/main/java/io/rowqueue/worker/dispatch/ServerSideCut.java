package io.rowqueue.worker.dispatch;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import com.mysql.cj.jdbc.JdbcConnection;
import io.rowqueue.handle.Handling;
import io.rowqueue.worker.WorkerPools;
import io.rowqueue.worker.WorkerThreads;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Cuts a connection on both sides. Aborted on this side only, its statement would run on in the
 * server, and its locks would stay, until the server writes to a socket that is gone. Thread-safe.
 */
@Singleton
final class ServerSideCut implements Handling.ConnectionCutter {

  private static final Logger LOG = LoggerFactory.getLogger(ServerSideCut.class);

  /**
   * Behind a proxy the id may be the proxy's, and somebody else's in the server; so it must be our
   * account's, in our schema, and busy.
   */
  private static final String IS_OURS =
      "SELECT id FROM information_schema.processlist WHERE id = ? AND db = DATABASE()"
          + " AND user = SUBSTRING_INDEX(USER(), '@', 1) AND command IN ('Query', 'Execute')";

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
    JdbcConnection cut = connection.unwrap(JdbcConnection.class);
    long id = cut.getId();
    String host = cut.getHostPortPair();
    connection.abort(Runnable::run);
    // Whoever cuts holds the handling, and a server that is slow to answer must not hold up others.
    threads.start("cut", () -> threads.guarded("cutting", () -> endInServer(host, id)));
  }

  /** Ids belong to one server: where another one takes the writes now, it is a stranger's. */
  private void endInServer(String host, long id) {
    try (Connection other = pools.protocol().getConnection()) {
      String here = other.unwrap(JdbcConnection.class).getHostPortPair();
      if (here.equals(host) && isOurs(other, id)) {
        kill(other, id);
      }
      other.rollback();
    } catch (SQLException e) {
      if (refused.compareAndSet(false, true)) {
        LOG.warn(
            "the server does not end the statement of a handler that was cut ({}); its locks stay"
                + " until it ends by itself",
            e.getMessage());
      }
    }
  }

  private static boolean isOurs(Connection other, long id) throws SQLException {
    try (PreparedStatement look = other.prepareStatement(IS_OURS)) {
      look.setLong(1, id);
      try (ResultSet found = look.executeQuery()) {
        return found.next();
      }
    }
  }

  private static void kill(Connection other, long id) throws SQLException {
    try (Statement statement = other.createStatement()) {
      statement.execute("KILL CONNECTION " + id);
    }
  }
}
