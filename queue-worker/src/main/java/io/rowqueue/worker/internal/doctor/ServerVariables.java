package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.Transactions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The variables of a new session of this account, by lower-case name. A variable that the server
 * does not have is empty.
 */
record ServerVariables(Map<String, String> values) {

  private static final String REQUESTED =
      "SHOW SESSION VARIABLES WHERE Variable_name IN ('version', 'transaction_isolation',"
          + " 'tx_isolation', 'log_bin', 'binlog_format', 'innodb_flush_log_at_trx_commit',"
          + " 'sync_binlog', 'max_allowed_packet', 'wait_timeout', 'time_zone', 'system_time_zone',"
          + " 'read_only', 'super_read_only', 'max_connections', 'max_user_connections')";

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

  String text(String name) {
    return values.getOrDefault(name, "");
  }

  /** Returns zero if it is not set. */
  long number(String name) {
    String text = text(name);
    return text.matches("\\d{1,18}") ? Long.parseLong(text) : 0;
  }

  boolean isOn(String name) {
    return List.of("ON", "1", "YES").contains(text(name).toUpperCase(Locale.ROOT));
  }

  boolean isMariaDb() {
    return text("version").toLowerCase(Locale.ROOT).contains("mariadb");
  }
}
