package io.rowqueue.proof.crash;

import static io.rowqueue.internal.table.Tables.QUEUE_BATCH_SHARD;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jooq.SQLDialect;
import org.jooq.impl.DSL;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@QueueTest
class KeyListPlanIT {

  private static final String LIST = " WHERE id IN (1, 2, 5, 6, 7, 8, 9, 10)";

  private final QueueDatabase database;

  KeyListPlanIT(QueueDatabase database) {
    this.database = database;
  }

  private static List<String> listed() {
    return List.of(
        "UPDATE queue_batch_shard FORCE INDEX (PRIMARY) SET acked = acked + 1" + LIST,
        "SELECT id, open_members, waits_for_dead FROM queue_batch_shard FORCE INDEX (PRIMARY)"
            + LIST
            + " ORDER BY id FOR UPDATE",
        DSL.using(SQLDialect.MYSQL)
            .renderInlined(
                PrimaryKeyDelete.of(
                    QUEUE_BATCH_SHARD, QUEUE_BATCH_SHARD.ID.in(1L, 2L, 5L, 6L, 7L, 8L, 9L, 10L))),
        "DELETE m FROM (SELECT CAST('a' AS BINARY(16)) id, 1 message UNION ALL"
            + " SELECT CAST('a' AS BINARY(16)), 2) v STRAIGHT_JOIN queue_ordering_member m"
            + " FORCE INDEX (PRIMARY) ON m.group_id = v.id AND m.running = 0"
            + " AND m.message_id = v.message");
  }

  @ParameterizedTest
  @MethodSource("listed")
  void listOfKeys_concurrentWithARowThatAStrangerHolds_waitsForNobody(String listed)
      throws SQLException {
    database.execute(
        "INSERT INTO queue_batch_shard (id, waits_for_dead, open_members) VALUES (1, 0, 1), (2, 0,"
            + " 1), (3, 0, 1)",
        "INSERT INTO queue_ordering_member (group_id, message_id) VALUES ('a', 1), ('a', 2)",
        "ANALYZE TABLE queue_batch_shard, queue_ordering_member");
    try (Connection stranger = database.connect();
        Connection own = database.connect();
        Statement strangers = stranger.createStatement();
        Statement ours = own.createStatement()) {
      for (Connection connection : new Connection[] {stranger, own}) {
        connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        connection.setAutoCommit(false);
      }
      strangers.execute("UPDATE queue_batch_shard SET acked = 7 WHERE id = 3");
      strangers.execute("INSERT INTO queue_ordering_member (group_id, message_id) VALUES ('b', 3)");
      ours.execute("SET SESSION innodb_lock_wait_timeout = 1");
      assertThatCode(() -> ours.execute(listed)).doesNotThrowAnyException();
    }
  }
}
