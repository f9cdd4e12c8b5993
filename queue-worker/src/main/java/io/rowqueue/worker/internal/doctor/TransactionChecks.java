package io.rowqueue.worker.internal.doctor;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.MissingPrivilege;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.List;
import org.jooq.Record;
import org.jspecify.annotations.Nullable;

/** Checks for old transactions, which prevent the purge of deleted rows. */
final class TransactionChecks {

  /**
   * Measured: from about this length on, each poll of a drained topic becomes noticeably slower.
   */
  private static final long LONG_HISTORY = 1_000_000;

  private static final String HISTORY_ON_MYSQL =
      "SELECT `COUNT` FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'"
          + " AND STATUS = 'enabled'";

  private static final String HISTORY_ON_MARIADB =
      "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS"
          + " WHERE VARIABLE_NAME = 'INNODB_HISTORY_LIST_LENGTH'";

  /** The server's own time zone is that of {@code trx_started}, whatever the session's is. */
  private static final String LONGEST =
      "SELECT trx_mysql_thread_id, TIMESTAMPDIFF(SECOND, trx_started,"
          + " CONVERT_TZ(UTC_TIMESTAMP(), '+00:00', 'SYSTEM'))"
          + " FROM information_schema.INNODB_TRX WHERE trx_mysql_thread_id <> CONNECTION_ID()"
          + " ORDER BY trx_started LIMIT 1";

  private static final String GRANT_PROCESS =
      "to check it, run this once with an account that has PROCESS";

  private final Transactions transactions;
  private final Duration tolerated;

  TransactionChecks(Transactions transactions, Duration tolerated) {
    this.transactions = transactions;
    this.tolerated = tolerated;
  }

  List<Finding> history() {
    String query =
        transactions.dialect() == ServerDialect.MARIADB ? HISTORY_ON_MARIADB : HISTORY_ON_MYSQL;
    Record row;
    try {
      row = first(query);
    } catch (QueueException e) {
      return hidden("undo-log", e);
    }
    return List.of(history(row == null ? null : row.get(0, Long.class)));
  }

  static Finding history(@Nullable Long length) {
    if (length == null) {
      return Finding.unknown(
          "undo-log",
          "this server does not count undo records",
          "SET GLOBAL innodb_monitor_enable = 'trx_rseg_history_len'");
    }
    return length > LONG_HISTORY
        ? Finding.warning(
            "undo-log",
            "%,d undo records wait for purge, so claims scan deleted rows".formatted(length),
            "end long transactions (see below, and"
                + " information_schema.INNODB_TRX); run dumps and reports on a replica")
        : Finding.ok("undo-log", "%,d undo records wait for purge".formatted(length));
  }

  List<Finding> longest() {
    Record row;
    try {
      row = first(LONGEST);
    } catch (QueueException e) {
      return hidden("transactions", e);
    }
    if (row == null) {
      return List.of(Finding.ok("transactions", "no other is open"));
    }
    Duration age = Duration.ofSeconds(row.get(1, Long.class));
    // A prepared transaction no longer belongs to a connection.
    boolean prepared = row.get(0, Long.class) == 0;
    return List.of(
        age.compareTo(tolerated) > 0
            ? Finding.warning(
                "transactions",
                "%s has had a transaction open for %s"
                    .formatted(
                        prepared ? "XA PREPARE" : "connection " + row.get(0),
                        Finding.duration(age)),
                "find its client (%s) and end it; the server cannot purge deleted messages until then"
                    .formatted(prepared ? "XA RECOVER" : "SHOW PROCESSLIST"))
            : Finding.ok("transactions", "the oldest has been open for " + Finding.duration(age)));
  }

  private @Nullable Record first(String query) {
    return transactions.read(dsl -> dsl.fetchOne(query));
  }

  private static List<Finding> hidden(String subject, QueueException failure) {
    if (!MissingPrivilege.isIn(failure)) {
      throw failure;
    }
    return List.of(Finding.unknown(subject, "this account cannot see it", GRANT_PROCESS));
  }
}
