package io.rowqueue.worker.internal.doctor;

import io.rowqueue.QueueException;
import io.rowqueue.internal.database.Transactions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The server's global variables, by lower-case name. The session's own may be those of a connection
 * pool.
 */
record ServerVariables(Map<String, String> values) {

  private static final String REQUESTED =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', 'transaction_isolation',"
          + " 'tx_isolation', 'log_bin', 'binlog_format', 'innodb_flush_log_at_trx_commit',"
          + " 'sync_binlog', 'max_allowed_packet', 'read_only', 'super_read_only',"
          + " 'max_connections', 'max_prepared_stmt_count')";

  static ServerVariables read(Transactions transactions) {
    return transactions.read(
        dsl -> {
          Map<String, String> values = new HashMap<>();
          dsl.fetch(REQUESTED)
              .forEach(
                  row ->
                      values.put(
                          row.get(0, String.class).toLowerCase(Locale.ROOT),
                          String.valueOf(row.get(1, String.class))));
          return new ServerVariables(values);
        });
  }

  boolean has(String name) {
    return values.containsKey(name);
  }

  /**
   * Returns its value.
   *
   * @throws QueueException if the server does not show it
   */
  String text(String name) {
    String value = values.get(name);
    if (value == null) {
      throw new QueueException("the server does not show " + name);
    }
    return value;
  }

  /**
   * Returns its value.
   *
   * @throws QueueException if the server does not show it as a number
   */
  long number(String name) {
    String text = text(name);
    if (!text.matches("\\d{1,18}")) {
      throw new QueueException("%s is '%s'".formatted(name, text));
    }
    return Long.parseLong(text);
  }

  /**
   * Returns whether it is on.
   *
   * @throws QueueException if the server does not show it
   */
  boolean isOn(String name) {
    return List.of("ON", "1", "YES").contains(text(name).toUpperCase(Locale.ROOT));
  }

  boolean isMariaDb() {
    return text("version").toLowerCase(Locale.ROOT).contains("mariadb");
  }
}
