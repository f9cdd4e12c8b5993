package io.rowqueue.testkit;

import io.rowqueue.internal.claim.Claim;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A message's row, to be inserted again.
 *
 * @param headers as JSON; null if it has none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
record Redelivery(Claim claim, byte[] payload, @Nullable String headers) {

  static Redelivery of(QueueDatabase database, Claim claim) {
    try (Connection connection = database.connect();
        PreparedStatement select =
            connection.prepareStatement(
                "SELECT payload, headers FROM queue_message WHERE id = ?")) {
      select.setLong(1, claim.id().value());
      try (ResultSet row = select.executeQuery()) {
        row.next();
        return new Redelivery(claim, row.getBytes(1), row.getString(2));
      }
    } catch (SQLException e) {
      throw new TestServerException("message " + claim.id() + " cannot be read", e);
    }
  }

  /** Inserts it again, unless it still exists. */
  void deliver(QueueDatabase database) {
    try (Connection connection = database.connect();
        PreparedStatement insert =
            connection.prepareStatement(
                "INSERT IGNORE INTO queue_message (id, topic, claim_number, attempts, payload,"
                    + " headers) VALUES (?, ?, ?, ?, ?, ?)")) {
      insert.setLong(1, claim.id().value());
      insert.setString(2, claim.topic().name());
      insert.setInt(3, claim.number());
      insert.setInt(4, claim.attempts());
      insert.setBytes(5, payload);
      insert.setString(6, headers);
      insert.executeUpdate();
    } catch (SQLException e) {
      throw new TestServerException("message " + claim.id() + " cannot be put back", e);
    }
  }
}
