package io.rowqueue.proof.crash;

import io.rowqueue.proof.operation.ProcessKilled;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Moment;
import io.rowqueue.tests.statement.Sent;
import io.rowqueue.tests.statement.Tap;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/**
 * Has a process die at one of its COMMITs, as far as a server can see: the connection is gone, and
 * nothing more is sent. For one thread.
 */
final class CrashTap implements Tap {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final QueueDatabase database;
  private final Moment moment;
  private final int last;
  private int commits;
  private boolean dead;

  /**
   * A process that dies once.
   *
   * @param last the number of the COMMIT that it dies at, from 1
   */
  CrashTap(QueueDatabase database, Moment moment, int last) {
    this.database = database;
    this.moment = moment;
    this.last = last;
  }

  @Override
  public void opening() {
    if (dead) {
      throw new ProcessKilled();
    }
  }

  @Override
  public void before(Sent next, Connection real) throws SQLException {
    opening();
    if (next.isCommit() && ++commits == last) {
      dead = true;
      die(real);
      throw new ProcessKilled();
    }
  }

  /** The server has rolled back what is open when it no longer has the connection. */
  private void die(Connection real) throws SQLException {
    String connection =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE id = " + id(real);
    if (moment == Moment.DURING) {
      real.commit();
    }
    real.abort(Runnable::run);
    Await.until(
        "the server has given the connection up",
        SOON,
        () -> database.count(connection),
        count -> count == 0);
  }

  private static long id(Connection real) throws SQLException {
    try (Statement statement = real.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }
}
