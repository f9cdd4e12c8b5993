package io.rowqueue.bench.counter;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The form that is often published: slots that may be below zero, taken from in one statement that
 * locks and sums them all.
 */
final class Published implements Way {

  private static final int SLOTS = 10;
  private static final String CHANGE =
      " ON DUPLICATE KEY UPDATE stock = published.stock + VALUES(stock)";

  @Override
  public void make(QueueDatabase database, long amount) {
    database.execute(
        "DROP TABLE IF EXISTS published",
        "CREATE TABLE published (id BIGINT AUTO_INCREMENT PRIMARY KEY, sku INT NOT NULL, slot INT"
            + " NOT NULL, stock BIGINT NOT NULL, UNIQUE KEY (sku, slot))",
        "INSERT INTO published (sku, slot, stock) VALUES (1, 0, " + amount + ")");
  }

  @Override
  public boolean take(Connection transaction) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement(
            "INSERT INTO published (sku, slot, stock) SELECT enough.sku, ?, -1 FROM (SELECT sku,"
                + " SUM(stock) AS there FROM published WHERE sku = 1 GROUP BY sku HAVING SUM(stock)"
                + " >= 1 FOR UPDATE) AS enough"
                + CHANGE)) {
      insert.setInt(1, slot());
      return insert.executeUpdate() > 0;
    }
  }

  @Override
  public void add(Connection transaction, long amount) throws SQLException {
    try (PreparedStatement insert =
        transaction.prepareStatement(
            "INSERT INTO published (sku, slot, stock) VALUES (1, ?, ?)" + CHANGE)) {
      insert.setInt(1, slot());
      insert.setLong(2, amount);
      insert.executeUpdate();
    }
  }

  private static int slot() {
    return ThreadLocalRandom.current().nextInt(SLOTS);
  }

  @Override
  public long sum(QueueDatabase database) {
    return database.count("SELECT SUM(stock) FROM published");
  }
}
