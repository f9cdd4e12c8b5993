package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThatCode;

import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class KeyListPlanIT {

  private final QueueDatabase database;

  KeyListPlanIT(QueueDatabase database) {
    this.database = database;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "UPDATE queue_batch_shard FORCE INDEX (PRIMARY) SET acked = acked + 1"
            + " WHERE id IN (1, 2, 5, 6, 7, 8, 9, 10)",
        "SELECT id, open_members, waits_for_dead FROM queue_batch_shard FORCE INDEX (PRIMARY)"
            + " WHERE id IN (1, 2, 5, 6, 7, 8, 9, 10) ORDER BY id FOR UPDATE",
        "DELETE l FROM queue_batch_shard l FORCE INDEX (PRIMARY)"
            + " WHERE l.id IN (1, 2, 5, 6, 7, 8, 9, 10) AND l.acked = 0"
      })
  void listOfKeys_concurrentWithARowThatAStrangerHolds_waitsForNobody(String listed)
      throws SQLException {
    database.execute(
        "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members) VALUES (1, 0, 1), (2, 0,"
            + " 1), (3, 0, 1)",
        "ANALYZE TABLE queue_batch_shard");
    try (Connection stranger = database.connect();
        Connection own = database.connect();
        Statement strangers = stranger.createStatement();
        Statement ours = own.createStatement()) {
      for (Connection connection : new Connection[] {stranger, own}) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
      }
      strangers.execute("UPDATE queue_batch_shard SET acked = 7 WHERE id = 3");
      ours.execute("SET SESSION innodb_lock_wait_timeout = 1");
      assertThatCode(() -> ours.execute(listed)).doesNotThrowAnyException();
    }
  }
}
