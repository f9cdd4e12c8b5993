package io.rowqueue.internal.database;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;

/**
 * Session settings that would change the effect or the result of RowQueue's own statements. A
 * server may give new sessions other values than its defaults ({@code SET GLOBAL}), so each
 * connection that RowQueue opens sets them here, in one statement. Each server ignores the other
 * one's version comment.
 */
public final class SessionSettings {

  /** Ends each SELECT of several rows on a connection that the application has configured. */
  public static final String ALL_ROWS = " LIMIT 18446744073709551615";

  /** A variable, and the value that RowQueue needs. */
  private record Variable(String name, String value) {

    /** An expression for the literal of its present value. */
    String literal() {
      boolean number = value.isEmpty() || Character.isDigit(value.charAt(0));
      return (number ? "@@SESSION.%s" : "QUOTE(@@SESSION.%s)").formatted(name);
    }
  }

  private static final List<Variable> BOTH =
      List.of(
          // Limits the rows that a SELECT returns.
          new Variable("sql_select_limit", "18446744073709551615"),
          new Variable("sql_big_selects", "1"),
          // Refuses an UPDATE or DELETE without a key.
          new Variable("sql_safe_updates", "0"),
          // Makes `id IS NULL` find the row inserted last.
          new Variable("sql_auto_is_null", "0"),
          // COMMIT would start another transaction, or end the connection.
          new Variable("completion_type", "'NO_CHAIN'"));

  // The rest would end statements, and transactions that wait for their handler.

  private static final List<Variable> MYSQL =
      List.of(new Variable("max_execution_time", "0"), new Variable("transaction_read_only", "0"));

  private static final List<Variable> MARIADB =
      List.of(
          new Variable("max_statement_time", "0"),
          new Variable("idle_transaction_timeout", "0"),
          new Variable("idle_readonly_transaction_timeout", "0"),
          new Variable("idle_write_transaction_timeout", "0"),
          new Variable("check_constraint_checks", "1"),
          new Variable("tx_read_only", "0"),
          // A message without a claim has lock_id = ''. In this mode a literal '' is NULL,
          // SPACE(0) is not.
          new Variable("sql_mode", "REPLACE(@@sql_mode, 'EMPTY_STRING_IS_NULL', SPACE(0))"));

  private static final String SET =
      "SET SESSION " + each(BOTH, MYSQL, MARIADB, SessionSettings::set);

  /** Of sessions that no transaction is open in: what drivers believe of new ones. */
  private static final String AUTO_COMMIT = ", autocommit = 1";

  private static final String ISOLATION = "'READ-COMMITTED'";

  private static final List<Variable> BORROWED_MYSQL =
      with(MYSQL, new Variable("transaction_isolation", ISOLATION));

  private static final List<Variable> BORROWED_MARIADB =
      with(MARIADB, new Variable("tx_isolation", ISOLATION));

  /** A migration's tables need transactions. */
  private static final List<Variable> BORROWED =
      with(BOTH, new Variable("default_storage_engine", "'InnoDB'"));

  private static final Variable WAIT = new Variable("wait_timeout", "");

  private static final String SAVE =
      "SET "
          + each(
              with(BORROWED, WAIT),
              BORROWED_MYSQL,
              BORROWED_MARIADB,
              variable -> "@rowqueue_%1$s = @@SESSION.%1$s".formatted(variable.name));

  private static final String SET_BORROWED =
      ", SESSION " + each(BORROWED, BORROWED_MYSQL, BORROWED_MARIADB, SessionSettings::set);

  /** Restores what {@link #applyBorrowed} saved. */
  public static final String RESTORE =
      "SET SESSION "
          + each(
              with(BORROWED, WAIT),
              BORROWED_MYSQL,
              BORROWED_MARIADB,
              variable -> "%1$s = @rowqueue_%1$s".formatted(variable.name));

  private static final String RESTORE_BY_VALUE =
      "SELECT CONCAT('SET SESSION wait_timeout = ', @@SESSION.wait_timeout, "
          + each(
              BORROWED,
              BORROWED_MYSQL,
              BORROWED_MARIADB,
              variable -> "', SESSION %s = ', %s".formatted(variable.name, variable.literal()))
          + ")";

  private SessionSettings() {}

  /**
   * Checks the settings of a connection from the application's own pool that is used to read lists.
   *
   * @throws IllegalStateException if a setting limits the rows returned, or refuses changes
   */
  static void check(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT @@sql_select_limit < 18446744073709551615, @@sql_safe_updates")) {
      row.next();
      if (row.getBoolean(1) || row.getBoolean(2)) {
        throw new IllegalStateException(
            "%s is set on the connections of this data source, and changes the effect of RowQueue's statements; configure the data source with sessionVariables=sql_select_limit=18446744073709551615,sql_safe_updates=0, or reset the server's global value back"
                .formatted(row.getBoolean(1) ? "sql_select_limit" : "sql_safe_updates"));
      }
    }
  }

  /** Applies them to a new {@code connection}, and sets auto-commit mode. */
  static void applyToNew(Connection connection) throws SQLException {
    execute(connection, SET + AUTO_COMMIT);
  }

  /** Applies them to {@code connection}. */
  public static void apply(Connection connection) throws SQLException {
    execute(connection, SET);
  }

  /**
   * Saves the settings of a connection of the application's pool in the session's user variables,
   * and sets RowQueue's, READ COMMITTED, and {@code idle} as the longest time without a statement.
   * One statement. It also sets auto-commit mode if the driver takes the connection to be in it and
   * no transaction is open; that is not restored.
   */
  public static void applyBorrowed(Connection connection, Duration idle) throws SQLException {
    boolean commits = connection.getAutoCommit() && !AutoCommitSession.isInTransaction(connection);
    execute(
        connection,
        SAVE
            + SET_BORROWED
            + ", wait_timeout = "
            + idle.toSeconds()
            + (commits ? AUTO_COMMIT : ""));
  }

  /**
   * Returns a statement for {@link #restore} of a connection to which {@link #applyBorrowed} has
   * not been applied yet. It needs no user variables, which Flyway clears.
   */
  public static String restoreByValue(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(RESTORE_BY_VALUE)) {
      row.next();
      return row.getString(1);
    }
  }

  /** Restores settings by {@link #RESTORE}, or by {@link #restoreByValue}. One statement. */
  public static void restore(Connection connection, String statement) throws SQLException {
    execute(connection, statement);
  }

  /**
   * Runs {@code work} with another value of a session variable, and then restores the session's
   * own. If the connection is lost, so is its setting.
   */
  public static <T> T with(DSLContext dsl, String variable, int value, Supplier<T> work) {
    dsl.execute(
        "SET @rowqueue_%1$s = @@SESSION.%1$s, SESSION %1$s = %2$s".formatted(variable, value));
    String restore = "SET SESSION %1$s = @rowqueue_%1$s".formatted(variable);
    T result;
    try {
      result = work.get();
    } catch (RuntimeException e) {
      try {
        dsl.execute(restore);
      } catch (DataAccessException lost) {
        e.addSuppressed(lost);
      }
      throw e;
    }
    dsl.execute(restore);
    return result;
  }

  private static void execute(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String set(Variable variable) {
    return variable.name + " = " + variable.value;
  }

  private static String each(
      List<Variable> both,
      List<Variable> mysql,
      List<Variable> mariaDb,
      Function<Variable, String> text) {
    return joined(both, text)
        + " /*!80000 , "
        + joined(mysql, text)
        + " */ /*M! , "
        + joined(mariaDb, text)
        + " */";
  }

  private static String joined(List<Variable> variables, Function<Variable, String> text) {
    return variables.stream().map(text).collect(Collectors.joining(", "));
  }

  private static List<Variable> with(List<Variable> variables, Variable another) {
    return Stream.concat(variables.stream(), Stream.of(another)).toList();
  }
}
