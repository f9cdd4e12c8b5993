package io.rowqueue.proof.fault;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/** Strangers that lock the queue's rows. */
final class LockFaults {

  private LockFaults() {}

  /** Somebody holds rows of the queue for longer than a statement waits for them. */
  static Set<Long> hold(Rig rig, RandomGenerator random) throws SQLException {
    long usual = rig.database().count("SELECT @@GLOBAL.innodb_lock_wait_timeout");
    rig.database().execute("SET GLOBAL innodb_lock_wait_timeout = 1");
    try (Connection connection = rig.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.execute(
          random.nextInt(4) == 0
              ? "SELECT * FROM queue_worker FOR UPDATE"
              : "SELECT id FROM queue_message FORCE INDEX (PRIMARY) WHERE state = 1 LIMIT 20 FOR"
                  + " UPDATE SKIP LOCKED");
      Pauses.between(1_200, 2_500, random);
      connection.rollback();
    } finally {
      rig.database().execute("SET GLOBAL innodb_lock_wait_timeout = " + usual);
    }
    return Fault.EVERYBODY;
  }

  /**
   * Locks a message that is being handled, and then waits for its effect, whose transaction waits
   * for the message: one of both must give way, and this one has the more to undo.
   */
  static Set<Long> deadlock(Rig rig, RandomGenerator random) throws SQLException {
    rig.database().execute("CREATE TABLE IF NOT EXISTS ballast (id INT PRIMARY KEY)");
    try (Connection connection = rig.database().connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      statement.execute("DELETE FROM ballast");
      for (int i = 0; i < 20; i++) {
        statement.execute("INSERT INTO ballast VALUES (" + i + ")");
      }
      for (String id : inFlight(rig, random)) {
        statement.execute("SELECT id FROM queue_message WHERE id = " + id + " FOR UPDATE");
        statement.execute("SELECT claim FROM effect WHERE message_id = " + id + " FOR UPDATE");
      }
      connection.rollback();
    } catch (SQLException e) {
      if (e.getErrorCode() != 1213 && e.getErrorCode() != 1205) {
        throw e;
      }
      // It gave way itself.
    }
    return Fault.EVERYBODY;
  }

  private static List<String> inFlight(Rig rig, RandomGenerator random) {
    return rig.database()
        .strings(
            "SELECT id FROM queue_message WHERE state = 1 ORDER BY id LIMIT "
                + (1 + random.nextInt(20)));
  }
}
