package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The promise of the upgrading page: a migration names its algorithm in its SQL, so that the server
 * refuses a change that it would have to make by a copy of the table.
 */
class OnlineDdlIT {

  private final QueueDatabase database = QueueDatabase.create();

  OnlineDdlIT() {
    database.execute("INSERT INTO queue_message (topic, payload) VALUES ('order', '1')");
  }

  @AfterEach
  void close() {
    database.close();
  }

  private void run(String ddl) throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute(ddl);
    }
  }

  /** How the table is built, and that it holds what it held. */
  private String table() {
    return database.strings(
            "SELECT CONCAT(COLUMN_NAME, ' ', COLUMN_TYPE, ' ', IS_NULLABLE) FROM"
                + " information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME ="
                + " 'queue_message' ORDER BY ORDINAL_POSITION")
        + ""
        + database.strings(
            "SELECT CONCAT(INDEX_NAME, ' ', COLUMN_NAME) FROM information_schema.STATISTICS WHERE"
                + " TABLE_SCHEMA = DATABASE() AND TABLE_NAME = 'queue_message' ORDER BY INDEX_NAME,"
                + " SEQ_IN_INDEX")
        + database.strings("SELECT CONCAT(id, topic, payload) FROM queue_message");
  }

  /** What migrations may do to the hot table. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE queue_message ADD COLUMN a INT NULL, ALGORITHM=INSTANT",
        "ALTER TABLE queue_message ADD COLUMN a INT NOT NULL DEFAULT 7, ALGORITHM=INSTANT",
        "ALTER TABLE queue_message ADD COLUMN a VARCHAR(64) NULL DEFAULT 'none', ALGORITHM=INSTANT",
        "ALTER TABLE queue_message ADD INDEX a (updated_at), ALGORITHM=INPLACE, LOCK=NONE",
        "CREATE INDEX a ON queue_message (updated_at) ALGORITHM=INPLACE LOCK=NONE",
        "ALTER TABLE queue_dead_letter ADD COLUMN a INT NULL, ALGORITHM=INSTANT",
      })
  void ddl_thatIsOnline_isTaken(String ddl) throws SQLException {
    run(ddl);
    assertThat(
            database.count(
                "SELECT (SELECT COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA ="
                    + " DATABASE() AND COLUMN_NAME = 'a') + (SELECT COUNT(*) FROM"
                    + " information_schema.STATISTICS WHERE TABLE_SCHEMA = DATABASE() AND"
                    + " INDEX_NAME = 'a')"))
        .isEqualTo(1);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
  }

  /** Each would copy the table, or lock it, and is taken where it names nothing. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE queue_message MODIFY COLUMN attempts BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE queue_message MODIFY COLUMN headers LONGBLOB NULL",
        "ALTER TABLE queue_message DROP PRIMARY KEY, ADD PRIMARY KEY (id, topic)",
      })
  void ddl_thatWouldCopyTheTable_isRefusedAndChangesNothing(String ddl) throws SQLException {
    String before = table();
    assertThatThrownBy(() -> run(ddl + ", ALGORITHM=INSTANT")).isInstanceOf(SQLException.class);
    assertThat(table()).isEqualTo(before);
    run(ddl);
    assertThat(table()).isNotEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ALTER TABLE queue_message MODIFY COLUMN attempts BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE queue_message MODIFY COLUMN priority INT NOT NULL DEFAULT 0",
      })
  void ddl_thatWouldLockTheTable_isRefusedAndChangesNothing(String ddl) {
    String before = table();
    assertThatThrownBy(() -> run(ddl + ", ALGORITHM=INPLACE, LOCK=NONE"))
        .isInstanceOf(SQLException.class);
    assertThat(table()).isEqualTo(before);
  }

  /** Only what is online by its nature is: to read so many rows for an index is not. */
  @Test
  void ddl_thatIsNoInstantChange_isRefused() {
    String before = table();
    assertThatThrownBy(
            () -> run("ALTER TABLE queue_message ADD INDEX a (updated_at), ALGORITHM=INSTANT"))
        .isInstanceOf(SQLException.class);
    assertThat(table()).isEqualTo(before);
  }
}
