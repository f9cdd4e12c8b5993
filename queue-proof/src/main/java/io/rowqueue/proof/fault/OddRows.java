package io.rowqueue.proof.fault;

import io.rowqueue.proof.fault.plugin.Deed;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.random.RandomGenerator;

/** What plain SQL of any language may put into the table. */
final class OddRows {

  private static final String INSERT =
      "INSERT INTO queue_message (topic, payload, headers) VALUES (?, ?, ?)";

  private OddRows() {}

  /** Five rows that no codec reads, and one of a topic that nobody knows. */
  static Set<Long> insert(Rig rig, RandomGenerator random) throws SQLException {
    byte[] noise = new byte[200];
    random.nextBytes(noise);
    try (Connection connection = rig.database().connect()) {
      connection.setAutoCommit(false);
      insert(connection, Deed.ALONE, new byte[0], null);
      insert(connection, Deed.SHARED, noise, null);
      insert(connection, Deed.BATCH, bytes("[1, 2"), null);
      insert(connection, Deed.ALONE, bytes("{\"what\": \"NO SUCH\", \"millis\": 1}"), null);
      insert(connection, Deed.BATCH, bytes("{\"what\": \"SUCCEED\"}"), "these are no headers");
      insert(connection, Deed.UNKNOWN, bytes("{}"), null);
      connection.commit();
    }
    Pauses.between(100, 500, random);
    return Fault.NOBODY;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  private static void insert(
      Connection connection,
      String topic,
      byte[] payload,
      @org.jspecify.annotations.Nullable String headers)
      throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(INSERT, Statement.RETURN_GENERATED_KEYS)) {
      insert.setString(1, topic);
      insert.setBytes(2, payload);
      insert.setString(3, headers);
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys();
          Statement book = connection.createStatement()) {
        keys.next();
        book.execute(
            "INSERT INTO enqueued (message_id, topic, what) VALUES (%d, '%s', 'ODD')"
                .formatted(keys.getLong(1), topic));
      }
    }
  }
}
