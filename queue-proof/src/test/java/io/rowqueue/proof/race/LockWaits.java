package io.rowqueue.proof.race;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

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

  private static final String MARIADB =
      """
      SELECT DISTINCT REPLACE(SUBSTRING_INDEX(wanted.lock_table, '.', -1), '`', ''),
        w.requesting_trx_id, w.blocking_trx_id
      FROM information_schema.innodb_lock_waits w
      JOIN information_schema.innodb_locks wanted ON wanted.lock_id = w.requested_lock_id
      WHERE wanted.lock_table LIKE CONCAT('`', DATABASE(), '`.%')
      """;

  /**
   * MariaDB shows what it showed before to whoever asks again within a tenth of a second, and
   * counts that tenth anew with each question.
   */
  private static final long BETWEEN_LOOKS_NANOS = TimeUnit.MILLISECONDS.toNanos(120);

  private final Connection connection;
  private final boolean mariaDb;
  private long lookedNanos = System.nanoTime();
  private List<String> seen = List.of();

  /** Looks over {@code connection}. */
  public LockWaits(Connection connection, boolean mariaDb) {
    this.connection = connection;
    this.mariaDb = mariaDb;
  }

  /** The table of each wait of one transaction for another; empty if nobody waits. */
  public List<String> tables() throws SQLException {
    if (!mariaDb || System.nanoTime() - lookedNanos >= BETWEEN_LOOKS_NANOS) {
      seen = look();
      lookedNanos = System.nanoTime();
    }
    return seen;
  }

  private List<String> look() throws SQLException {
    List<String> tables = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet waits = statement.executeQuery(mariaDb ? MARIADB : MYSQL)) {
      while (waits.next()) {
        tables.add(waits.getString(1));
      }
    }
    return tables;
  }
}
