package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.mysql.cj.jdbc.JdbcConnection;
import com.mysql.cj.jdbc.JdbcPreparedStatement;
import com.mysql.cj.jdbc.ServerPreparedStatement;
import io.rowqueue.internal.table.Tables;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Statement;
import java.sql.Types;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jooq.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Goal: what Connector/J decides by the server's version is right on every server. It takes MariaDB
 * 10, which greets as "5.5.5-10.11.18-MariaDB", for 5.5.5, and MariaDB 11 for newer than MySQL 9.
 * Method: one test for each decision that matters, the same on all servers.
 *
 * <ul>
 *   <li>Fractions of a second in bound times are dropped on MariaDB 10. RowQueue binds times as
 *       text that the server converts; see {@link ProducerConnectionsIT}.
 *   <li>The isolation level's variable is {@code tx_isolation} or {@code transaction_isolation}:
 *       right from 10.6 to 10.11 and from 11.1 on; 11.0 fails.
 *   <li>{@code setReadOnly} is not sent to MariaDB 10, where the driver itself refuses writes.
 *       RowQueue sends {@code SET SESSION TRANSACTION READ ONLY} instead.
 *   <li>The collation of the handshake and of {@code SET NAMES} differs. Columns name theirs.
 *   <li>{@code DatabaseMetaData} has time columns without their fraction (10), and {@code
 *       getSQLKeywords} fails (11). RowQueue reads neither.
 * </ul>
 *
 * Session state, {@code COM_RESET_CONNECTION}, multiple statements, {@code KILL QUERY} for timeouts
 * and generated keys depend on what the server announces, not on its version.
 */
@QueueTest
class DriverVersionIT {

  private static final String ROW =
      "INSERT INTO queue_message (topic, headers, payload) VALUES (?, ?, ?)";

  private final QueueDatabase database;

  DriverVersionIT(QueueDatabase database) {
    this.database = database;
  }

  private Connection connect(String properties) throws SQLException {
    return DriverManager.getConnection(database.url() + "&" + properties);
  }

  private static List<String> column(ResultSet rows, int column) throws SQLException {
    List<String> values = new ArrayList<>();
    while (rows.next()) {
      values.add(rows.getString(column));
    }
    return values;
  }

  private static List<String> query(Connection connection, String query, int column)
      throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      return column(rows, column);
    }
  }

  @Test
  void dialect_isTheServersOwn() throws SQLException {
    try (Connection connection = database.connect()) {
      boolean aria = !query(connection, "SHOW ENGINES", 1).contains("Aria");
      assertThat(ServerDialect.of(connection))
          .isEqualTo(aria ? ServerDialect.MYSQL : ServerDialect.MARIADB);
    }
  }

  /** The variable's name: tx_isolation up to MariaDB 11.0, transaction_isolation in MySQL 8.0.3. */
  @ParameterizedTest
  @ValueSource(ints = {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_SERIALIZABLE})
  void isolation_thatIsSet_isTheSessionsAndReadBack(int level) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(level);
      assertThat(connection.getTransactionIsolation()).isEqualTo(level);
      assertThat(
              query(
                  connection,
                  "SHOW SESSION VARIABLES WHERE Variable_name IN ('tx_isolation',"
                      + " 'transaction_isolation')",
                  2))
          .isNotEmpty()
          .containsOnly(
              level == Connection.TRANSACTION_SERIALIZABLE ? "SERIALIZABLE" : "READ-COMMITTED");
    }
  }

  /** To a server below 5.6.5 the driver does not send it, but refuses writes by itself. */
  @Test
  void readOnly_thatIsSet_refusesWritesUntilItIsTakenBack() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setReadOnly(true);
      assertThat(connection.isReadOnly()).isTrue();
      assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM queue_message"))
          .isInstanceOf(SQLException.class);
      connection.setReadOnly(false);
      assertThat(connection.isReadOnly()).isFalse();
      assertThat(statement.executeUpdate("DELETE FROM queue_message")).isZero();
    }
  }

  /** As workers and the dashboard do it, since {@code setReadOnly} is not sent everywhere. */
  @Test
  void readOnly_inSql_isTheServersAnswer() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET SESSION TRANSACTION READ ONLY");
      assertThatThrownBy(() -> statement.executeUpdate("DELETE FROM queue_message"))
          .extracting(error -> ((SQLException) error).getErrorCode())
          .isEqualTo(1792);
      statement.execute("SET SESSION TRANSACTION READ WRITE");
      assertThat(statement.executeUpdate("DELETE FROM queue_message")).isZero();
    }
  }

  @Test
  void reset_leavesNothingOfTheSession() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET @left = 1");
      statement.execute("DO GET_LOCK('" + database.name() + "', 0)");
      connection.unwrap(JdbcConnection.class).resetServerState();
      assertThat(query(connection, "SELECT @left IS NULL", 1)).containsExactly("1");
      assertThat(query(connection, "SELECT IS_FREE_LOCK('" + database.name() + "')", 1))
          .containsExactly("1");
      assertThat(connection.getAutoCommit()).isTrue();
    }
  }

  /** Query attributes are sent to MySQL from 8.0.26 on only; others must not get them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "useServerPrepStmts=true",
        "useServerPrepStmts=false",
        "useServerPrepStmts=true&connectionCollation=utf8mb4_bin",
        "useServerPrepStmts=false&sessionVariables=sql_mode='NO_BACKSLASH_ESCAPES'",
        "characterEncoding=UTF-8",
        "passwordCharacterEncoding=UTF-8"
      })
  void statement_preparedEitherWay_takesEveryByteAndCharacter(String properties)
      throws SQLException {
    byte[] payload = new byte[256];
    for (int i = 0; i < payload.length; i++) {
      payload[i] = (byte) i;
    }
    String headers = "{\"\\\\ ' \\\" %_\":\"Ünïcode 🎉\"}";
    try (Connection connection = connect(properties)) {
      try (PreparedStatement insert = connection.prepareStatement(ROW)) {
        assertThat(insert.unwrap(JdbcPreparedStatement.class) instanceof ServerPreparedStatement)
            .isEqualTo(properties.contains("PrepStmts=true"));
        insert.unwrap(JdbcPreparedStatement.class).setAttribute("trace", "1");
        insert.setString(1, "order");
        insert.setString(2, headers);
        insert.setBytes(3, payload);
        insert.executeUpdate();
      }
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT headers, payload, HEX(headers) FROM queue_message WHERE topic = ?")) {
        select.setString(1, "order");
        try (ResultSet row = select.executeQuery()) {
          assertThat(row.next()).isTrue();
          assertThat(row.getString(1)).isEqualTo(headers);
          assertThat(row.getBytes(2)).isEqualTo(payload);
          assertThat(row.getString(3))
              .isEqualToIgnoringCase(
                  HexFormat.of().formatHex(headers.getBytes(StandardCharsets.UTF_8)));
        }
      }
    }
  }

  @Test
  void generatedKeys_ofSeveralRows_areTheirIds() throws SQLException {
    try (Connection connection = database.connect();
        PreparedStatement insert =
            connection.prepareStatement(ROW + ", (?, ?, ?)", Statement.RETURN_GENERATED_KEYS)) {
      for (int i = 0; i < 6; i += 3) {
        insert.setString(i + 1, "order");
        insert.setNull(i + 2, Types.VARCHAR);
        insert.setBytes(i + 3, new byte[] {1});
      }
      insert.executeUpdate();
      try (ResultSet keys = insert.getGeneratedKeys()) {
        assertThat(column(keys, 1))
            .isEqualTo(database.strings("SELECT id FROM queue_message ORDER BY id"))
            .hasSize(2);
      }
    }
  }

  /** From 8.0.3 on the driver reads the catalogue by SELECT, before that by SHOW. */
  @ParameterizedTest
  @ValueSource(strings = {"", "useInformationSchema=true", "useInformationSchema=false"})
  void metadata_tellsTheTablesAsTheyAre(String properties) throws SQLException {
    try (Connection connection = connect(properties)) {
      DatabaseMetaData data = connection.getMetaData();
      try (ResultSet columns =
          data.getColumns(connection.getCatalog(), null, "queue\\_message", "%")) {
        assertThat(column(columns, 4))
            .containsExactlyElementsOf(
                Tables.QUEUE_MESSAGE.fieldStream().map(Named::getName).toList());
      }
      try (ResultSet due =
          data.getColumns(connection.getCatalog(), null, "queue\\_message", "due_at")) {
        assertThat(due.next()).isTrue();
        assertThat(due.getInt("DATA_TYPE")).isEqualTo(Types.TIMESTAMP);
      }
      try (ResultSet keys = data.getPrimaryKeys(connection.getCatalog(), null, "queue_message")) {
        assertThat(column(keys, 4)).containsExactly("id");
      }
    }
  }

  /** It is cut by KILL QUERY on a second connection. */
  @Test
  void queryTimeout_endsTheStatement() throws SQLException {
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      statement.setQueryTimeout(1);
      assertThatThrownBy(() -> statement.executeQuery("SELECT SLEEP(60)"))
          .isInstanceOf(SQLTimeoutException.class);
      assertThat(query(connection, "SELECT 1", 1)).containsExactly("1");
    }
  }

  /**
   * With logSlowQueries the driver explains what was slow; what it may explain, it knows by
   * version.
   */
  @Test
  void explainSlowQueries_harmsNoStatement() throws SQLException {
    try (Connection connection =
            connect("logSlowQueries=true&slowQueryThresholdMillis=0&explainSlowQueries=true");
        Statement statement = connection.createStatement()) {
      assertThat(statement.executeUpdate("DELETE FROM queue_message WHERE id = 0")).isZero();
      assertThat(query(connection, "SELECT COUNT(*) FROM queue_message", 1)).containsExactly("0");
    }
  }
}
