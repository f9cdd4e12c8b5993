package io.rowqueue.worker.internal.doctor;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Diagnoses the deployment of a queue. Read-only, takes no row locks, and limits its reads: the
 * first messages of each topic and priority, a thousand topics and ten seconds of the message
 * table, and five seconds for each statement. Not thread-safe.
 */
public final class Doctor {

  /** Protects the server from a bad plan, or an index full of deleted rows. */
  private static final int LONGEST_SECONDS = 5;

  private final List<Check> first;
  private final List<Check> onTables;

  /**
   * Creates a doctor for the queue in the schema of {@code dataSource}.
   *
   * @param dataSource opens a new connection each time, with auto-commit on
   * @param dialect the server's dialect
   */
  public Doctor(DataSource dataSource, ServerDialect dialect, DoctorSettings settings) {
    DataSource bounded = new FreshConnections(() -> bounded(dataSource.getConnection(), dialect));
    Transactions transactions = new Transactions(bounded, dialect, TransactionProbe.NONE);
    ServerChecks server = new ServerChecks(transactions, settings);
    SchemaChecks schema = new SchemaChecks(transactions, settings.role());
    TransactionChecks open = new TransactionChecks(transactions, settings.longTransaction());
    WorkerChecks workers = new WorkerChecks(transactions, settings);
    MessageChecks messages = new MessageChecks(transactions);
    PoolCheck pools = new PoolCheck(transactions, settings);
    this.first =
        List.of(
            new Check("server", server::version),
            new Check("writable", server::writable),
            new Check("isolation", server::isolation),
            new Check("binary-log", server::binaryLog),
            new Check("durability", server::durability),
            new Check("new-sessions", server::newSessions),
            new Check("max-packet", server::packet),
            new Check("statements", server::statements),
            new Check("time-zone", new ClockChecks(transactions)::timeZone),
            new Check("clock", new ClockChecks(transactions)::difference),
            new Check("connection", new ConnectionCheck(bounded)::find),
            new Check("undo-log", open::history),
            new Check("transactions", open::longest),
            new Check("schema", schema::version));
    this.onTables =
        List.of(
            new Check("privileges", schema::privileges),
            new Check("query-plan", schema::claimPlan),
            new Check("ids", schema::ids),
            new Check("workers", workers::leases),
            new Check("rescue", workers::rescue),
            new Check("connections", pools::find),
            new Check("topics", workers::topics),
            new Check("subscriptions", workers::subscriptions),
            new Check("schedules", workers::schedules),
            new Check("results", new AwaitingCheck(transactions)::find),
            new Check("oldest", workers::oldest),
            new Check("times", messages::times),
            new Check("claims", messages::claims),
            new Check("batches", workers::batches));
  }

  /** Sets the server's timeout for SELECT statements. */
  private static Connection bounded(Connection connection, ServerDialect dialect)
      throws SQLException {
    try (Statement statement = connection.createStatement()) {
      if (dialect == ServerDialect.MARIADB) {
        statement.execute("SET SESSION max_statement_time = " + LONGEST_SECONDS);
      } else {
        statement.execute("SET SESSION max_execution_time = " + 1_000 * LONGEST_SECONDS);
      }
      return connection;
    } catch (SQLException e) {
      connection.close();
      throw e;
    }
  }

  /** Creates a doctor that detects the server's dialect. */
  public static Doctor of(DataSource dataSource, DoctorSettings settings) throws SQLException {
    try (Connection connection = dataSource.getConnection()) {
      return new Doctor(dataSource, ServerDialect.ask(connection), settings);
    }
  }

  /**
   * Runs all checks, from the server up to the messages. Never fails: a failed check is a finding.
   */
  public List<Finding> examine() {
    return examine(Duration.ofDays(1));
  }

  /** Like {@link #examine()}; a check that would begin later than {@code longest} is unknown. */
  public List<Finding> examine(Duration longest) {
    long end = System.nanoTime() + TimeUnit.NANOSECONDS.convert(longest);
    List<Finding> findings = new ArrayList<>();
    first.forEach(check -> findings.addAll(find(check, end)));
    boolean hasTables =
        findings.stream()
            .noneMatch(
                finding -> finding.subject().equals("schema") && finding.severity() != Severity.OK);
    if (hasTables) {
      onTables.forEach(check -> findings.addAll(find(check, end)));
    }
    return List.copyOf(findings);
  }

  private static List<Finding> find(Check check, long end) {
    if (System.nanoTime() - end >= 0) {
      return List.of(
          Finding.unknown(check.subject(), "not checked: the checks before it took too long", ""));
    }
    try {
      return check.probe().get();
    } catch (QueueException e) {
      return List.of(Finding.unknown(check.subject(), "the check failed: " + e.getMessage(), ""));
    }
  }

  /** Returns the part of the deployment that {@code finding} is about, for headings. */
  public static String part(Finding finding) {
    return switch (finding.subject()) {
      case "privileges", "connections" -> "Account";
      case "schema", "query-plan", "ids" -> "Schema";
      case "workers", "rescue", "topics", "subscriptions", "schedules" -> "Workers";
      case "results", "oldest", "times", "claims", "batches" -> "Messages";
      default -> "Server";
    };
  }

  /** Returns the worst severity of {@code findings}. */
  public static Severity worst(List<Finding> findings) {
    return findings.stream()
        .map(Finding::severity)
        .max(Severity::compareTo)
        .orElse(Severity.UNKNOWN);
  }

  /**
   * Checks one thing.
   *
   * @param probe what it finds, one of which is OK if nothing is wrong; throws QueueException if
   *     the database does not say
   */
  private record Check(String subject, Supplier<List<Finding>> probe) {}
}
