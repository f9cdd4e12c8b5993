package io.rowqueue.bench.counter;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** What most teams begin with: one row, which every writer waits for. */
final class OneRow implements Way {

  @Override
  public void make(QueueDatabase database, long amount) {
    database.execute(
        "DROP TABLE IF EXISTS one_row",
        "CREATE TABLE one_row (id INT PRIMARY KEY, amount BIGINT NOT NULL)",
        "INSERT INTO one_row VALUES (1, " + amount + ")");
  }

  @Override
  public boolean take(Connection transaction) throws SQLException {
    try (PreparedStatement update =
        transaction.prepareStatement(
            "UPDATE one_row SET amount = amount - 1 WHERE id = 1 AND amount >= 1")) {
      return update.executeUpdate() == 1;
    }
  }

  @Override
  public void add(Connection transaction, long amount) throws SQLException {
    try (PreparedStatement update =
        transaction.prepareStatement("UPDATE one_row SET amount = amount + ? WHERE id = 1")) {
      update.setLong(1, amount);
      update.executeUpdate();
    }
  }

  @Override
  public long sum(QueueDatabase database) {
    return database.count("SELECT amount FROM one_row");
  }
}
