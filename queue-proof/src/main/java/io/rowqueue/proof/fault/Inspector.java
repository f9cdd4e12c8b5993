package io.rowqueue.proof.fault;

import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the queue over one connection, which it opens anew when a fault has broken it: a look
 * must cost the server little. Confined to one thread.
 */
final class Inspector implements AutoCloseable {

  private final QueueDatabase database;
  private @Nullable Connection connection;

  Inspector(QueueDatabase database) {
    this.database = database;
  }

  /** The first column of {@code query}. */
  List<String> strings(String query) throws SQLException {
    try {
      return ask(query);
    } catch (SQLException e) {
      close();
      return ask(query);
    }
  }

  private List<String> ask(String query) throws SQLException {
    try (Statement statement = open().createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> strings = new ArrayList<>();
      while (rows.next()) {
        strings.add(String.valueOf(rows.getString(1)));
      }
      return strings;
    }
  }

  private Connection open() {
    Connection now = connection;
    if (now == null) {
      now = database.connect();
      connection = now;
    }
    return now;
  }

  @Override
  public void close() {
    Connection last = connection;
    connection = null;
    if (last != null) {
      try {
        last.close();
      } catch (SQLException e) {
        // It is broken, and that is why it is closed.
        connection = null;
      }
    }
  }
}
