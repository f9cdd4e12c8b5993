package io.rowqueue.bench.stream;

import io.rowqueue.bench.contest.Bare;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.TreeMap;

/** The messages of the floors' payloads, in RowQueue's table; {@link #end} alone commits. */
record BareMessages(Connection connection) implements AutoCloseable {

  private static final String INSERT =
      "INSERT INTO queue_message (topic, payload) VALUES ('film', ?)";
  private static final String ALL = "SELECT id, payload FROM queue_message";
  private static final String DELETE = "DELETE FROM queue_message WHERE id = ?";

  /** Over a connection of their own. */
  static BareMessages of(QueueDatabase database) throws SQLException {
    return new BareMessages(Bare.connect(database));
  }

  /** One that says where its payload lies; returns its id. */
  long insert(String place) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
      insert.setString(1, place);
      insert.executeUpdate();
      try (ResultSet key = insert.getGeneratedKeys()) {
        key.next();
        return key.getLong(1);
      }
    }
  }

  /** Where the payloads of all of them lie, by their ids. */
  Map<Long, String> all() throws SQLException {
    Map<Long, String> places = new TreeMap<>();
    try (PreparedStatement select = connection.prepareStatement(ALL);
        ResultSet rows = select.executeQuery()) {
      while (rows.next()) {
        places.put(rows.getLong(1), rows.getString(2));
      }
    }
    return places;
  }

  /** Deletes one, and commits. */
  void end(long id) throws SQLException {
    try (PreparedStatement delete = connection.prepareStatement(DELETE)) {
      delete.setLong(1, id);
      delete.executeUpdate();
    }
    connection.commit();
  }

  @Override
  public void close() {
    try {
      connection.close();
    } catch (SQLException e) {
      throw new IllegalStateException("a floor's connection does not close", e);
    }
  }
}
