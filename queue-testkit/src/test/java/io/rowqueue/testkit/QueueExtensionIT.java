package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

@QueueTest
class QueueExtensionIT {

  private static final String INSERT =
      "INSERT INTO queue_message (topic, payload) VALUES ('plain', '{}')";
  private static final String MESSAGES = "SELECT COUNT(*) FROM queue_message";

  private static final AtomicInteger LAST_ID = new AtomicInteger();

  private static String queue = "";

  private final QueueDatabase database;

  QueueExtensionIT(QueueDatabase database) {
    this.database = database;
  }

  @BeforeAll
  static void teamsTable(QueueDatabase database) {
    database.execute("CREATE TABLE shop_price (id INT)", "INSERT INTO shop_price VALUES (1)");
    queue = database.strings("SELECT queue_name FROM queue_schema").get(0);
  }

  @RepeatedTest(3)
  void method_afterAnotherThatEnqueued_findsNoMessageAndNewIds(QueueDatabase same) {
    assertThat(same).isSameAs(database);
    assertThat(database.count(MESSAGES)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    database.execute(
        INSERT,
        "INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,"
            + " updated_at) VALUES ('w', 'h', 1, NOW(6), '1', '', NOW(6), NOW(6))");
    int id = (int) database.count("SELECT MAX(id) FROM queue_message");
    assertThat(id).isGreaterThan(LAST_ID.getAndSet(id));
  }

  @Test
  void method_afterCleaning_findsQueueVersionAndTheTeamsRows() {
    assertThat(database.strings("SELECT queue_name FROM queue_schema")).containsExactly(queue);
    assertThat(database.count("SELECT COUNT(*) FROM queue_schema")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(*) FROM shop_price")).isEqualTo(1);
  }

  @Test
  void sessions_asATeamsPoolGivesThem_haveAutoCommitAndTheServersZone() throws SQLException {
    try (Connection connection = database.connect()) {
      assertThat(connection.getAutoCommit()).isTrue();
      assertThat(connection.getCatalog()).isEqualTo(database.name());
    }
    assertThat(database.strings("SELECT @@session.time_zone = @@global.time_zone"))
        .containsExactly("1");
    assertThat(database.config().url()).isEqualTo(database.url());
  }

  @Test
  void clean_whileATransactionHoldsARow_failsAndSaysWhy() throws SQLException {
    database.execute(INSERT);
    try (Connection other = database.connect();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute("SELECT id FROM queue_message FOR UPDATE");

      assertThatThrownBy(database::clean)
          .isInstanceOf(TestServerException.class)
          .hasMessageContaining("does an earlier test still hold a transaction");
    }
    database.clean();
    assertThat(database.count(MESSAGES)).isZero();
  }

  @Test
  void query_thatFails_showsItself() {
    assertThatThrownBy(() -> database.count("SELECT no_such FROM queue_message"))
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("no_such");
    assertThatThrownBy(() -> database.count("SELECT id FROM queue_message"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("expected a whole number");
  }

  @Nested
  class InnerClass {

    @Test
    void method_ofNestedClass_sharesTheSchemaEmptied(QueueDatabase inner) {
      assertThat(inner).isSameAs(database);
      assertThat(inner.count(MESSAGES)).isZero();
      inner.execute(INSERT);
    }

    @Test
    void method_ofNestedClassAfterAnother_isEmptyToo(QueueDatabase inner) {
      assertThat(inner.count(MESSAGES)).isZero();
      inner.execute(INSERT);
    }
  }
}
