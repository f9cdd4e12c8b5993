package io.rowqueue.worker;

import static io.rowqueue.internal.table.DefaultSchema.DEFAULT_SCHEMA;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.AutoCommitSession;
import io.rowqueue.internal.database.Jdbc;
import io.rowqueue.internal.database.ServerAnswer;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schema.MessageIds;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.worker.Migrator.MigrationException;
import io.rowqueue.worker.internal.BorrowedConnections;
import io.rowqueue.worker.internal.BorrowedConnections.Purpose;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.logging.Log;
import org.flywaydb.core.api.logging.LogCreator;
import org.flywaydb.core.api.logging.LogFactory;
import org.flywaydb.core.api.output.MigrateOutput;
import org.flywaydb.core.api.output.MigrateResult;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Migrates a schema to this version of RowQueue, with Flyway. The schema may contain other tables;
 * only tables named {@code queue_*} are changed, and {@code queue_flyway_history} records the
 * scripts that ran. Concurrent migrations of one schema wait for each other. A schema of a newer
 * RowQueue is left unchanged. Thread-safe.
 */
public final class Migrator {
  private static final String REPAIR =
      "A script that failed half-way leaves its changes, since these servers cannot roll back"
          + " DDL: fix the cause and migrate again. After version 1, undo the changes first and"
          + " delete the row with success = 0 from queue_flyway_history.";

  private static final Logger log = LoggerFactory.getLogger(Migrator.class);

  private static final String FOLDER = "io/rowqueue/migration";
  private static final List<String> SCRIPTS = List.of("V1__queue.sql");
  private static final String HISTORY = "queue_flyway_history";

  /** Comments for the generator of jOOQ's classes. */
  private static final Pattern MARKS =
      Pattern.compile(
          "(?m)^-- jOOQ's classes .*\n-- not support.*\n|^ */\\* \\[jooq ignore \\w+] \\*/\n"
              + "| ?/\\* \\[jooq ignore \\w+] \\*/");

  /** Session settings for the DDL, independent of the server's defaults. */
  private static final String SESSION =
      "SET SESSION default_storage_engine = 'InnoDB',"
          + " sql_mode = REPLACE(@@sql_mode, 'EMPTY_STRING_IS_NULL', SPACE(0))";

  /** For the lock, Flyway's history and its migrations. */
  private static final int CONNECTIONS = 3;

  /** A statement changes a large table for hours. */
  private static final Duration LONGEST = Duration.ofDays(1);

  private Migrator() {}

  /**
   * Runs the pending migrations; does nothing if there are none. If message ids have restarted
   * after a TRUNCATE or a restore, moves the next id above all known ids.
   *
   * @param dataSource up to three concurrent connections to the schema, of an account that may
   *     create and alter its tables; their settings are restored
   * @throws MigrationException if the migration fails; its message gives the remedy. DDL commits
   *     statement by statement, so a script that failed half-way leaves its earlier tables;
   *     rerunning version 1 continues after them
   */
  public static Migrated migrate(DataSource dataSource) {
    return migrateBorrowed(
        new BorrowedConnections(CONNECTIONS).of(dataSource, Purpose.MIGRATIONS, LONGEST));
  }

  private static Migrated migrateBorrowed(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        MigrationLock lock = MigrationLock.acquire(connection)) {
      clearTheWay(connection);
      Migrated migrated = migrateLocked(dataSource);
      if (migrated.to() == QueueSchema.KNOWN_VERSION) {
        MessageIds.raise(Transactions.on(dataSource));
      }
      if (migrated.changed()) {
        log.info(
            "schema {} went from version {} to {} with {}",
            lock.schema(),
            migrated.from(),
            migrated.to(),
            String.join(", ", migrated.scripts()));
      }
      return migrated;
    } catch (FlywayException | SQLException e) {
      throw new MigrationException(explain(e), e);
    }
  }

  /**
   * Returns the SQL that {@link #migrate} runs on an empty schema, for an administrator who runs it
   * instead, as a whole. Such a schema has no history: {@link #migrate} refuses it, and later
   * versions are migrated by SQL, too. Needs no database.
   */
  public static String script() {
    StringBuilder sql = new StringBuilder(SESSION).append(";\n\n");
    for (String script : SCRIPTS) {
      sql.append(MARKS.matcher(read(script)).replaceAll("")).append('\n');
    }
    return sql.toString().strip();
  }

  private static String read(String script) {
    String name = FOLDER + "/" + script;
    try (InputStream file = Migrator.class.getClassLoader().getResourceAsStream(name)) {
      return new String(Objects.requireNonNull(file, name).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Gives the queue a new name, as for a new queue, so that its idempotency keys differ from those
   * of the queue it was copied from.
   *
   * @throws MigrationException if the database fails
   */
  public static void rename(DataSource dataSource) {
    try (Connection connection = dataSource.getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("UPDATE queue_schema SET queue_name = UUID() WHERE version = 1");
      if (connection.getAutoCommit()) {
        AutoCommitSession.commit(connection);
      } else {
        connection.commit();
      }
    } catch (SQLException e) {
      throw new MigrationException("the queue was not renamed: " + e.getMessage(), e);
    }
  }

  /**
   * The first script reuses existing tables, to continue an aborted run. Before the first run there
   * must be none.
   */
  private static void clearTheWay(Connection connection) throws SQLException {
    // Without an escape, which a session may not know: names that match by accident are unknown.
    List<String> present = new ArrayList<>();
    try (ResultSet tables =
        connection.getMetaData().getTables(connection.getCatalog(), null, "queue_%", null)) {
      while (tables.next()) {
        present.add(tables.getString("TABLE_NAME"));
      }
    }
    if (present.contains(HISTORY)) {
      try (Statement statement = connection.createStatement()) {
        statement.executeUpdate("DELETE FROM " + HISTORY + " WHERE version = '1' AND success = 0");
      }
      return;
    }
    present.removeIf(table -> DEFAULT_SCHEMA.getTable(table) == null);
    if (!present.isEmpty()) {
      throw new MigrationException(
          "the schema was not migrated: tables of these names exist: %s; move them, or give RowQueue a schema of its own"
              .formatted(String.join(", ", present)),
          null);
    }
  }

  private static Migrated migrateLocked(DataSource dataSource) {
    // The context class loader may see neither Flyway's plug-ins nor the scripts.
    Flyway flyway =
        Flyway.configure(Migrator.class.getClassLoader())
            .dataSource(dataSource)
            .locations("classpath:" + FOLDER)
            .failOnMissingLocations(true)
            .table(HISTORY)
            .baselineOnMigrate(true)
            .baselineVersion("0")
            .load();
    // Loading Flyway has set its logger for the whole JVM; restores it for the application's own
    // Flyway.
    LogFactory.setLogCreator(FlywayLog.CREATOR);
    try {
      return migrated(flyway.migrate());
    } finally {
      LogFactory.setConfiguration(flyway.getConfiguration());
    }
  }

  private static Migrated migrated(MigrateResult result) {
    int from = version(result.initialSchemaVersion);
    List<MigrateOutput> applied = result.getSuccessfulMigrations();
    // Flyway reports no target version if there was nothing to do.
    return new Migrated(
        from,
        Math.max(from, version(result.targetSchemaVersion)),
        applied.stream().map(output -> fileName(output.filepath)).toList());
  }

  private static int version(@Nullable String version) {
    return version == null || version.isEmpty() ? 0 : Integer.parseInt(version);
  }

  private static String fileName(String path) {
    return String.valueOf(Path.of(path).getFileName());
  }

  /**
   * The result of a migration.
   *
   * @param from the schema's version before; 0 for none
   * @param to its version now
   * @param scripts the names of the scripts that ran, in order; unmodifiable
   */
  public record Migrated(int from, int to, List<String> scripts) {

    /** Copies the names. */
    public Migrated {
      scripts = List.copyOf(scripts);
    }

    /** Returns whether any script ran. */
    public boolean changed() {
      return !scripts.isEmpty();
    }
  }

  /** The migration failed; the message gives the remedy. */
  public static final class MigrationException extends QueueException {

    /** For RowQueue. */
    public MigrationException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  /**
   * Logs Flyway's messages at DEBUG: {@link Migrator} summarizes a migration in one line, and
   * failures are exceptions.
   */
  private static final class FlywayLog implements Log {

    static final LogCreator CREATOR = type -> new FlywayLog(LoggerFactory.getLogger(type));

    private final Logger log;

    private FlywayLog(Logger log) {
      this.log = log;
    }

    /** Flyway 11, which Spring Boot 3.5 manages, has no default for it. */
    @Override
    @SuppressWarnings("deprecation")
    public boolean isDebugEnabled() {
      return log.isTraceEnabled();
    }

    @Override
    public void debug(String message) {
      log.trace(message);
    }

    @Override
    public void info(String message) {
      log.debug(message);
    }

    @Override
    public void notice(String message) {
      log.debug(message);
    }

    @Override
    public void warn(String message) {
      log.debug(message);
    }

    @Override
    public void error(String message) {
      log.debug(message);
    }

    @Override
    public void error(String message, Exception cause) {
      log.debug(message, cause);
    }
  }

  private static String explain(Exception failure) {
    SQLException error = ServerAnswer.in(failure);
    if (error == null) {
      String message = String.valueOf(failure.getMessage());
      return "the schema was not migrated: "
          + message.strip()
          + (message.contains("failed migration") ? " " + REPAIR : "");
    }
    return "the schema was not migrated: %s (error %d, state %s). %s"
        .formatted(error.getMessage(), error.getErrorCode(), error.getSQLState(), advice(error))
        .strip();
  }

  private static String advice(SQLException error) {
    String state = error.getSQLState() == null ? "" : error.getSQLState();
    if (state.startsWith("08")) {
      return "Check that the server runs and that the URL's host and port are right. " + REPAIR;
    }
    return switch (error.getErrorCode()) {
      case 1045 -> "Check the user and the password.";
      case 1049 -> "Create the schema first: RowQueue creates its tables, not the schema.";
      case 1044, 1142, 1227, 1370 ->
          "Migrate with an account that has the privileges: GRANT SELECT, INSERT, UPDATE, DELETE,"
              + " CREATE, ALTER, INDEX, DROP ON <schema>.* TO it, which `queue-worker grants"
              + " migrator` prints. "
              + REPAIR;
      case 1205 ->
          "Another transaction locked a table for longer than the migration waits; end it (SHOW"
              + " PROCESSLIST). "
              + REPAIR;
      case 1290, 1792, 1836 -> "The server is read-only: migrate on the primary.";
      case 1064 -> "RowQueue needs MySQL 8.0.19 or later, or MariaDB 10.6 or later. " + REPAIR;
      default -> REPAIR;
    };
  }

  /**
   * Serializes the migrations of a schema with a named lock (GET_LOCK), which ends with its
   * connection. Flyway's own lock starts after its check for the history table, so one of two
   * concurrent migrations would fail.
   */
  private static final class MigrationLock implements AutoCloseable {

    private static final int LONGEST_WAIT_SECONDS = 120;

    private final Connection connection;
    private final String schema;

    private MigrationLock(Connection connection, String schema) {
      this.connection = connection;
      this.schema = schema;
    }

    /**
     * Waits for the lock of the connection's schema.
     *
     * @throws MigrationException if the connection has no schema, or another process holds the lock
     */
    static MigrationLock acquire(Connection connection) throws SQLException {
      String schema = connection.getCatalog();
      if (schema == null || schema.isEmpty()) {
        throw new MigrationException(
            "the database URL names no schema; add one, as in jdbc:mysql://db.example.org:3306/app",
            null);
      }
      if (schema.contains("`")) {
        throw new MigrationException(
            "the schema was not migrated: the name of %s contains a backtick, which Flyway does not quote; give RowQueue a schema with another name"
                .formatted(schema),
            null);
      }
      if (ask(connection, "SELECT GET_LOCK(?, " + LONGEST_WAIT_SECONDS + ")", schema) != 1) {
        throw new MigrationException(
            "another process has been migrating schema %s for more than %d s; see SHOW PROCESSLIST, and retry when it has ended"
                .formatted(schema, LONGEST_WAIT_SECONDS),
            null);
      }
      return new MigrationLock(connection, schema);
    }

    String schema() {
      return schema;
    }

    /** Never fails: a lost connection has released its lock. */
    @Override
    public void close() {
      try {
        ask(connection, "SELECT RELEASE_LOCK(?)", schema);
      } catch (SQLException e) {
        log.debug("the migration's lock was lost with its connection", e);
      }
    }

    private static int ask(Connection connection, String sql, String schema) throws SQLException {
      return Jdbc.rows(connection, sql, row -> row.getInt(1), name(schema)).get(0);
    }

    /** Named locks are server-wide, and limited to 64 characters. */
    private static String name(String schema) {
      return "rowqueue-migrate-" + Integer.toHexString(schema.toLowerCase(Locale.ROOT).hashCode());
    }
  }
}
