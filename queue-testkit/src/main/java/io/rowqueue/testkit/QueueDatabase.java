package io.rowqueue.testkit;

import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.worker.DatabaseConfig;
import io.rowqueue.worker.Migrator;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A schema with a random name and RowQueue's tables, on a real server. {@link QueueTest} creates
 * one per test class and passes it to its methods; without JUnit, use {@link #create()} and {@link
 * #close()}. Thread-safe.
 *
 * <p>Connections have the defaults of an application's pool: auto-commit on, the server's isolation
 * level and time zone. Statements passed as text run on a connection of their own.
 */
public final class QueueDatabase implements AutoCloseable {

  private static final String LOCK_WAIT = "SET SESSION innodb_lock_wait_timeout = 5";
  private static final String DDL_WAIT = "SET SESSION lock_wait_timeout = 10";

  private final TestClock clock = new TestClock();

  /** Null for a data source of the application. */
  private final @Nullable TestServer server;

  private final String name;
  private final DataSource dataSource;
  private volatile @Nullable Boolean mariaDb;
  private volatile @Nullable String filledTables;

  private QueueDatabase(TestServer server, String name) {
    this.server = server;
    this.name = name;
    this.dataSource = new UrlDataSource(server.url(name), clock);
  }

  private QueueDatabase(DataSource dataSource, String name) {
    this.server = null;
    this.name = name;
    this.dataSource = dataSource;
  }

  /**
   * Returns the migrated schema of an application's data source. Its clock is the server's and
   * cannot be moved, its URL and account are unknown, and {@link #close()} leaves it as it is.
   *
   * @throws TestServerException if the server does not answer
   */
  public static QueueDatabase of(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      return new QueueDatabase(dataSource, strings(statement, "SELECT DATABASE()").get(0));
    } catch (SQLException e) {
      throw new TestServerException("the data source gives no connection: " + e.getMessage(), e);
    }
  }

  /** Creates and migrates a schema on the server that all tests of this JVM share. */
  public static QueueDatabase create() {
    return create(TestServer.shared());
  }

  /**
   * Creates and migrates a schema on {@code server}.
   *
   * @throws TestServerException if it cannot be created
   * @throws io.rowqueue.QueueException if it cannot be migrated
   */
  public static QueueDatabase create(TestServer server) {
    QueueDatabase database = createEmpty(server);
    Migrator.migrate(database.dataSource);
    return database;
  }

  /** Creates an empty schema on the server that all tests of this JVM share. */
  public static QueueDatabase createEmpty() {
    return createEmpty(TestServer.shared());
  }

  /**
   * Creates an empty schema on {@code server}.
   *
   * @throws TestServerException if it cannot be created
   */
  public static QueueDatabase createEmpty(TestServer server) {
    String name = "rq_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    run(
        new UrlDataSource(server.url()),
        "CREATE DATABASE " + name + " CHARACTER SET utf8mb4 COLLATE utf8mb4_bin");
    return new QueueDatabase(server, name);
  }

  /** Returns the schema's name. */
  public String name() {
    return name;
  }

  /** Returns the JDBC URL, including user and password. */
  public String url() {
    return server().url(name);
  }

  private TestServer server() {
    if (server == null) {
      throw new UnsupportedOperationException("only the data source is known");
    }
    return server;
  }

  /** Returns the account that the URL names. */
  public String user() {
    return server().user();
  }

  /** Returns its password. */
  public String password() {
    return server().password();
  }

  /** Returns the database as a worker's configuration. */
  public DatabaseConfig config() {
    return new DatabaseConfig(url(), user(), password());
  }

  /** Returns its queue, to enqueue messages and to read the contents. */
  public TestQueue queue() {
    return new TestQueue(this);
  }

  /** Returns a data source that opens a new physical connection each time, with auto-commit on. */
  public DataSource dataSource() {
    return dataSource;
  }

  /**
   * Opens a new connection, with auto-commit on, which the caller closes.
   *
   * @throws TestServerException if the server rejects it
   */
  public Connection connect() {
    try {
      return dataSource.getConnection();
    } catch (SQLException e) {
      throw new TestServerException("no connection to the test server: " + e.getMessage(), e);
    }
  }

  /**
   * Runs each statement in order on one connection, with auto-commit.
   *
   * @throws TestServerException if one fails; the earlier ones stay
   */
  public void execute(String... statements) {
    run(dataSource, statements);
  }

  /**
   * Returns the integer in the first row and column of {@code query}.
   *
   * @throws TestServerException if the query fails
   * @throws AssertionError if it returns no row or no integer
   */
  public long count(String query) {
    List<String> rows = strings(query);
    try {
      return Long.parseLong(rows.get(0));
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      throw new AssertionError("expected a whole number from " + query + " but got " + rows, e);
    }
  }

  /**
   * Returns the first column of {@code query} as text, row by row; "null" for NULL.
   *
   * @throws TestServerException if the query fails
   */
  public List<String> strings(String query) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      return strings(statement, query);
    } catch (SQLException e) {
      throw new TestServerException(e.getMessage() + " in " + query, e);
    }
  }

  /** Reads it on an existing connection. */
  static List<String> strings(Statement statement, String query) throws SQLException {
    try (ResultSet rows = statement.executeQuery(query)) {
      List<String> strings = new ArrayList<>();
      while (rows.next()) {
        strings.add(String.valueOf(rows.getString(1)));
      }
      return strings;
    }
  }

  /**
   * Stops the clock of this schema's sessions, if it runs, and advances it: for connections opened
   * from now on, and for a {@link TestWorker}. {@link #clean()} restarts it.
   *
   * @throws IllegalArgumentException if {@code by} is negative
   */
  public void advance(Duration by) {
    stopClock();
    clock.advance(by);
  }

  /** Returns the database's time, as seen by this schema's sessions. */
  public Instant now() {
    try (Connection connection = connect()) {
      return TestClock.instant(TestClock.now(connection));
    } catch (SQLException e) {
      throw new TestServerException("the test server's time cannot be read", e);
    }
  }

  void runClock() {
    clock.run();
  }

  /** Stops the clock; from now on only {@link #advance} changes it. */
  TestClock stopClock() {
    if (server != null && clock.standing() == null) {
      try (Connection connection = connect()) {
        clock.stop(connection);
      } catch (SQLException e) {
        throw new TestServerException("the test server's time cannot be read", e);
      }
    }
    return clock;
  }

  /** Returns whether the server is MariaDB, not MySQL. */
  public boolean isMariaDb() {
    Boolean known = mariaDb;
    if (known == null) {
      known =
          server == null
              ? InlineProducer.dialect(this) == ServerDialect.MARIADB
              : server.isMariaDb();
      mariaDb = known;
    }
    return known;
  }

  /**
   * Deletes every row of RowQueue's tables except the queue's name and version; other tables are
   * unchanged. Never truncates, because ids must not restart.
   *
   * @throws TestServerException if another transaction locks rows for more than 5 s
   */
  public void clean() {
    clock.run();
    String filled = filledTables;
    if (filled == null) {
      filled = askFilledTables();
      filledTables = filled;
    }
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(LOCK_WAIT);
      connection.setAutoCommit(false);
      for (String table : strings(statement, filled)) {
        statement.execute("DELETE FROM " + table);
      }
      connection.commit();
    } catch (SQLException e) {
      throw new TestServerException(
          "schema %s could not be emptied; does an earlier test still hold a transaction or a worker open? %s"
              .formatted(name, e.getMessage()),
          e);
    }
  }

  /**
   * Drops the schema, unless it is an application's. Idempotent.
   *
   * @throws TestServerException if another transaction locks a table for more than 10 s
   */
  @Override
  public void close() {
    if (server == null) {
      return;
    }
    try {
      run(new UrlDataSource(server.url()), DDL_WAIT, "DROP DATABASE IF EXISTS " + name);
    } catch (TestServerException e) {
      throw new TestServerException(
          "schema %s could not be dropped; does a test still hold a transaction or a worker open? %s"
              .formatted(name, e.getMessage()),
          e);
    }
  }

  /** The name only. */
  @Override
  public String toString() {
    return "QueueDatabase[" + name + "]";
  }

  /**
   * Finds the tables with rows in one statement, since most are empty. The locking read also waits
   * for uncommitted rows.
   */
  private String askFilledTables() {
    return strings(
            """
            SELECT table_name FROM information_schema.tables
            WHERE table_schema = DATABASE() AND table_type = 'BASE TABLE'
              AND LEFT(table_name, 6) = 'queue_'
              AND table_name NOT IN ('queue_schema', 'queue_flyway_history')
            """)
        .stream()
        .map(table -> "(SELECT '%1$s' FROM %1$s LIMIT 1 LOCK IN SHARE MODE)".formatted(table))
        .collect(Collectors.joining(" UNION ALL "));
  }

  private static void run(DataSource dataSource, String... statements) {
    String running = "connect";
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        running = sql;
        statement.execute(sql);
      }
    } catch (SQLException e) {
      throw new TestServerException(e.getMessage() + " in " + running, e);
    }
  }
}
