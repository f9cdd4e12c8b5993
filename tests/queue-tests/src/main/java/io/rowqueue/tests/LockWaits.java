package io.rowqueue.tests;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Which table's row somebody waits for because another holds it, as the server sees it. */
public final class LockWaits {

  private static final String MYSQL =
      """
      SELECT DISTINCT wanted.object_name, w.requesting_engine_transaction_id,
        w.blocking_engine_transaction_id
      FROM performance_schema.data_lock_waits w
      JOIN performance_schema.data_locks wanted
        ON wanted.engine_lock_id = w.requesting_engine_lock_id
      WHERE wanted.object_schema = DATABASE()
      """;

  /** Not from information_schema.innodb_lock_waits, which is a tenth of a second old. */
  private static final String MARIADB = "SHOW ENGINE INNODB STATUS";

  private static final Pattern WAITING =
      Pattern.compile("LOCKS? [^\\n]*table `([^`]+)`\\.`([^`]+)` [^\\n]*waiting");

  private final Connection connection;
  private final boolean mariaDb;

  /** Looks over {@code connection}. */
  public LockWaits(Connection connection, boolean mariaDb) {
    this.connection = connection;
    this.mariaDb = mariaDb;
  }

  /** The table of each wait of one transaction for another; empty if nobody waits. */
  public List<String> tables() throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(mariaDb ? MARIADB : MYSQL)) {
      while (rows.next()) {
        if (mariaDb) {
          tables.addAll(waiting(rows.getString("Status")));
        } else {
          tables.add(rows.getString(1));
        }
      }
    }
    return tables;
  }

  /** In this schema; the report on the last deadlock, which comes first, is left out. */
  private List<String> waiting(String status) throws SQLException {
    String transactions = status.substring(Math.max(0, status.indexOf("\nTRANSACTIONS\n")));
    String schema = connection.getCatalog();
    return WAITING
        .matcher(transactions)
        .results()
        .filter(wait -> wait.group(1).equals(schema))
        .map(wait -> wait.group(2))
        .toList();
  }
}
