package io.rowqueue.bench.start;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** The least that a Java program needs to settle one message: connect, and delete a row. */
final class BareProgram {

  private BareProgram() {}

  /** With the queue's URL. */
  public static void main(String[] arguments) throws SQLException {
    try (Connection connection = DriverManager.getConnection(arguments[0]);
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("DELETE FROM queue_message ORDER BY id LIMIT 1");
    }
  }
}
