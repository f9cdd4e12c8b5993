package io.rowqueue.testkit;

import io.rowqueue.testkit.server.TestServer;
import io.rowqueue.worker.migrate.Migrator;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.logging.Logger;
import javax.sql.DataSource;

/**
 * A schema with RowQueue's tables, for one test class. Thread-safe. Statements given as text run in
 * auto-commit.
 */
public final class QueueDatabase implements AutoCloseable {

  private static final List<String> TABLES =
      List.of(
          "queue_message",
          "queue_worker",
          "queue_attempt",
          "queue_dead_letter",
          "queue_dead_letter_attempt",
          "queue_archive",
          "queue_counter",
          "queue_topic");

  private final String name;
  private final String url;
  private final DataSource dataSource;

  private QueueDatabase(String name, String url) {
    this.name = name;
    this.url = url;
    this.dataSource = new UrlDataSource(url);
  }

  /** Creates a schema of a random name on the test server, and migrates it. */
  public static QueueDatabase create() {
    QueueDatabase database = createEmpty();
    Migrator.migrate(database.dataSource);
    return database;
  }

  /** Creates a schema of a random name on the test server, without RowQueue's tables. */
  public static QueueDatabase createEmpty() {
    TestServer server = TestServer.shared();
    String name = "rq_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    new QueueDatabase("it", server.url("it")).execute("CREATE DATABASE " + name);
    return new QueueDatabase(name, server.url(name));
  }

  /** The schema's name. */
  public String name() {
    return name;
  }

  /** Its JDBC URL, with user and password. */
  public String url() {
    return url;
  }

  /** Connections to it, one physical connection each, with auto-commit on. */
  public DataSource dataSource() {
    return dataSource;
  }

  /** Runs each statement, in order, each committed by itself. */
  public void execute(String... statements) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage() + " in " + List.of(statements), e);
    }
  }

  /** The number that {@code query} returns in its first row and column. */
  public long count(String query) {
    return Long.parseLong(strings(query).get(0));
  }

  /** The first column of {@code query} as text, row by row; "null" for NULL. */
  public List<String> strings(String query) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(query)) {
      List<String> strings = new ArrayList<>();
      while (rows.next()) {
        strings.add(String.valueOf(rows.getString(1)));
      }
      return strings;
    } catch (SQLException e) {
      throw new IllegalStateException(e.getMessage() + " in " + query, e);
    }
  }

  /** Whether the server is MariaDB, and not MySQL. */
  public boolean isMariaDb() {
    return strings("SELECT VERSION()").get(0).toLowerCase(Locale.ROOT).contains("mariadb");
  }

  /**
   * Deletes every row but the queue's name and version. Never truncates: ids must not start again.
   */
  void clean() {
    execute(TABLES.stream().map(table -> "DELETE FROM " + table).toArray(String[]::new));
  }

  /** Drops the schema. */
  @Override
  public void close() {
    execute("DROP DATABASE " + name);
  }

  private record UrlDataSource(String url) implements DataSource {

    @Override
    public Connection getConnection() throws SQLException {
      return DriverManager.getConnection(url);
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
      return DriverManager.getConnection(url, user, password);
    }

    @Override
    public PrintWriter getLogWriter() {
      return new PrintWriter(System.err, true, java.nio.charset.StandardCharsets.UTF_8);
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
      throw new SQLFeatureNotSupportedException("no log writer");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
      throw new SQLFeatureNotSupportedException("set connectTimeout in the URL");
    }

    @Override
    public int getLoginTimeout() {
      return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
      throw new SQLFeatureNotSupportedException("no java.util.logging");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
      throw new SQLFeatureNotSupportedException("wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
      return false;
    }
  }
}
