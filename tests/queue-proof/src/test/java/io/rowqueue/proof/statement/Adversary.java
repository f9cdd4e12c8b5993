package io.rowqueue.proof.statement;

import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.LockWaits;
import io.rowqueue.tests.statement.Fault;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Another transaction, which holds a row that somebody is going to want. Has a server make what
 * {@link Fault} simulates.
 */
final class Adversary implements AutoCloseable {

  private static final Duration SOON = Duration.ofSeconds(20);

  private final Fault fault;
  private final String wanted;
  private final Connection other;
  private final Connection onlooker;
  private final LockWaits waits;
  private @Nullable CompletableFuture<Void> asking;
  private boolean met;

  /**
   * Begins its transaction.
   *
   * @param held what it executes, and holds a row by
   * @param wanted what it executes to have a row that the one whom it meets has locked before
   */
  Adversary(QueueDatabase database, Fault fault, String held, String wanted) throws SQLException {
    this.fault = fault;
    this.wanted = wanted;
    this.other = database.connect();
    this.onlooker = database.connect();
    this.waits = new LockWaits(onlooker, database.isMariaDb());
    other.setAutoCommit(false);
    // Who has changed more rows is not the one whom the server rolls back.
    execute(other, "UPDATE weight SET n = n + 1 WHERE id > 1");
    execute(other, held);
  }

  /** Where the weights are. */
  static void makeWeights(QueueDatabase database) {
    database.execute(
        "CREATE TABLE weight (id INT AUTO_INCREMENT PRIMARY KEY, n INT NOT NULL)",
        "INSERT INTO weight (n) VALUES (0), (0), (0), (0)",
        "INSERT INTO weight (n) SELECT a.n FROM weight a, weight b, weight c");
  }

  /** {@code connection} is about to want the row that is held. Happens once. */
  void meet(Connection connection) throws SQLException {
    if (met) {
      return;
    }
    met = true;
    if (fault == Fault.LOCK_WAIT_TIMEOUT) {
      execute(connection, "SET SESSION innodb_lock_wait_timeout = 1");
      return;
    }
    asking = CompletableFuture.runAsync(this::ask);
    Await.until("the other waits", SOON, waits::tables, tables -> !tables.isEmpty());
  }

  private void ask() {
    try {
      execute(other, wanted);
      other.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException("the server rolled back the other", e);
    }
  }

  /** Gives everything back, so that whoever was refused may try again. */
  void giveWay() {
    try {
      CompletableFuture<Void> running = asking;
      if (running == null) {
        other.rollback();
      } else {
        running.get(SOON.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (SQLException | InterruptedException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Override
  public void close() throws SQLException {
    other.close();
    onlooker.close();
  }
}
