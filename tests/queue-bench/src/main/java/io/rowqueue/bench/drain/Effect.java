package io.rowqueue.bench.drain;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** What a handler does, the same for everybody. */
enum Effect {
  /** Nothing. */
  NONE,

  /** Inserts a row of its own. */
  INSERT;

  private static final String TABLE =
      "CREATE TABLE IF NOT EXISTS effect (id BIGINT AUTO_INCREMENT PRIMARY KEY, number INT NOT"
          + " NULL, at DATETIME(6) NOT NULL DEFAULT CURRENT_TIMESTAMP(6))";
  private static final String ROW = "INSERT INTO effect (number) VALUES (?)";

  /** Makes what it needs. */
  void prepare(QueueDatabase database) {
    if (this == INSERT) {
      database.execute(TABLE);
    }
  }

  /** Happens on {@code connection}, and is committed by whoever owns that. */
  void happen(Connection connection, int number) throws SQLException {
    if (this == NONE) {
      return;
    }
    try (PreparedStatement insert = connection.prepareStatement(ROW)) {
      insert.setInt(1, number);
      insert.executeUpdate();
    }
  }
}
