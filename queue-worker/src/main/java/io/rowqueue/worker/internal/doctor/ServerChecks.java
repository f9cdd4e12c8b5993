package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.internal.WorkerPools;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jooq.Record;

/** Checks the server's settings. */
final class ServerChecks {

  private static final String NEW_SESSIONS =
      "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('sql_select_limit', 'sql_safe_updates',"
          + " 'sql_big_selects', 'max_join_size', 'sql_auto_is_null', 'completion_type',"
          + " 'max_execution_time', 'max_statement_time', 'transaction_read_only', 'tx_read_only',"
          + " 'idle_transaction_timeout', 'idle_readonly_transaction_timeout',"
          + " 'idle_write_transaction_timeout', 'check_constraint_checks', 'sql_mode')";

  private static final Set<String> UNLIMITED =
      Set.of("0", "0.000000", "OFF", "NO_CHAIN", "18446744073709551615");

  private static final Map<String, String> NEEDED =
      Map.of("sql_big_selects", "ON", "check_constraint_checks", "ON");

  private static final String EMPTY_IS_NULL = "EMPTY_STRING_IS_NULL";

  private static final String OPEN_STATEMENTS =
      "SHOW GLOBAL STATUS WHERE Variable_name = 'Prepared_stmt_count'";

  /** MySQL only: without its redo log, a crash loses what was committed. */
  private static final String REDO_LOG =
      "SHOW GLOBAL STATUS WHERE Variable_name = 'Innodb_redo_log_enabled'";

  private static final int MOST_PERCENT = 80;

  private static final Pattern VERSION = Pattern.compile("(\\d+)\\.(\\d+)\\.(\\d+)");

  /** Overhead of a packet beyond payload and headers: the statement and its escaping. */
  private static final long STATEMENT_BYTES = 64 << 10;

  private final Transactions transactions;
  private final DoctorSettings settings;

  ServerChecks(Transactions transactions, DoctorSettings settings) {
    this.transactions = transactions;
    this.settings = settings;
  }

  private List<Finding> with(Function<ServerVariables, Finding> check) {
    return List.of(check.apply(ServerVariables.read(transactions)));
  }

  List<Finding> version() {
    return with(ServerChecks::version);
  }

  List<Finding> writable() {
    return with(ServerChecks::writable);
  }

  List<Finding> isolation() {
    return with(ServerChecks::isolation);
  }

  List<Finding> binaryLog() {
    return with(ServerChecks::binaryLog);
  }

  List<Finding> durability() {
    Record redoLog = transactions.read(dsl -> dsl.fetchOne(REDO_LOG));
    boolean logged = redoLog == null || !"OFF".equals(redoLog.get(1, String.class));
    return with(server -> durability(server, logged));
  }

  List<Finding> packet() {
    return with(
        server ->
            packet(
                server,
                settings.limits().payloadBytes() + (long) settings.limits().headersBytes()));
  }

  static Finding version(ServerVariables server) {
    String version = server.text("version");
    String name = (server.isMariaDb() ? "MariaDB " : "MySQL ") + version;
    Matcher parts = VERSION.matcher(version);
    if (!parts.find()) {
      return Finding.unknown("server", "its version is '%s'".formatted(version), "");
    }
    long number =
        Long.parseLong(parts.group(1)) * 1_000_000
            + Long.parseLong(parts.group(2)) * 1_000
            + Long.parseLong(parts.group(3));
    boolean tooOld = number < (server.isMariaDb() ? 10_006_000 : 8_000_019);
    return tooOld
        ? Finding.problem(
            "server",
            name + " is older than RowQueue needs",
            "upgrade to MySQL 8.0.19 or later, or to MariaDB 10.6 or later")
        : Finding.ok("server", name);
  }

  static Finding writable(ServerVariables server) {
    return server.isOn("read_only")
            || (server.has("super_read_only") && server.isOn("super_read_only"))
        ? Finding.problem(
            "writable",
            "the server is read-only",
            "point --url to the primary, or name all hosts in it, as in"
                + " jdbc:mysql://one,two/app; workers find the writable one")
        : Finding.ok("writable", "read_only is off");
  }

  static Finding isolation(ServerVariables server) {
    String level =
        server
            .text(server.has("transaction_isolation") ? "transaction_isolation" : "tx_isolation")
            .toUpperCase(Locale.ROOT);
    if (level.equals("READ-COMMITTED") || level.equals("REPEATABLE-READ")) {
      return Finding.ok(
          "isolation", level + " for new sessions; workers set READ-COMMITTED themselves");
    }
    return Finding.warning(
        "isolation",
        level + " for new sessions, including producers and other programs",
        "set transaction-isolation to READ-COMMITTED on the server, or in producers'"
            + " pools; under SERIALIZABLE, reads take locks and wait for workers");
  }

  static Finding binaryLog(ServerVariables server) {
    if (!server.isOn("log_bin")) {
      return Finding.ok("binary-log", "off");
    }
    if (!server.has("binlog_format")) {
      return Finding.ok("binary-log", "on; the server has no binlog_format");
    }
    String format = server.text("binlog_format").toUpperCase(Locale.ROOT);
    return format.equals("STATEMENT")
        ? Finding.problem(
            "binary-log",
            "binlog_format is STATEMENT: InnoDB then rejects writes at READ COMMITTED",
            "set binlog_format to ROW")
        : Finding.ok("binary-log", format);
  }

  /** MariaDB's 3 flushes even more often than 1. */
  static Finding durability(ServerVariables server, boolean hasRedoLog) {
    if (!hasRedoLog) {
      return Finding.problem(
          "durability",
          "the redo log is disabled: a crash of the server loses COMMITs, and may make the data"
              + " unusable",
          "run ALTER INSTANCE ENABLE INNODB REDO_LOG");
    }
    String flush = server.text("innodb_flush_log_at_trx_commit");
    if (!flush.equals("1") && !(flush.equals("3") && server.isMariaDb())) {
      return Finding.warning(
          "durability",
          "innodb_flush_log_at_trx_commit is %s: a crash of the host can lose the last second of COMMITs"
              .formatted(flush),
          "set it to 1, unless lost and repeated messages are acceptable");
    }
    if (!server.isOn("log_bin")) {
      return Finding.ok(
          "durability",
          "InnoDB's log is flushed at each COMMIT, and the binary log is off; disk caches are not"
              + " checked");
    }
    String binlog = server.text("sync_binlog");
    return !binlog.equals("1")
        ? Finding.warning(
            "durability",
            "sync_binlog is %s: a crash of the host can roll back COMMITs that the binary log has not flushed"
                .formatted(binlog),
            "set it to 1, unless lost and repeated messages are acceptable")
        : Finding.ok(
            "durability",
            "InnoDB's log and the binary log are flushed at each COMMIT; disk caches"
                + " are not checked");
  }

  /**
   * Checks defaults for new sessions; RowQueue's own sessions override them, producers' sessions do
   * not.
   */
  List<Finding> newSessions() {
    Map<String, String> settings = new TreeMap<>();
    transactions
        .read(dsl -> dsl.fetch(NEW_SESSIONS))
        .forEach(row -> settings.put(row.get(0, String.class), row.get(1, String.class)));
    return List.of(newSessions(settings));
  }

  static Finding newSessions(Map<String, String> settings) {
    if (!settings.containsKey("sql_select_limit")) {
      return Finding.unknown("new-sessions", "the server does not show its global variables", "");
    }
    Map<String, String> limits = new TreeMap<>(settings);
    limits.computeIfPresent(
        "sql_mode", (name, modes) -> modes.contains(EMPTY_IS_NULL) ? EMPTY_IS_NULL : "OFF");
    limits
        .entrySet()
        .removeIf(
            limit ->
                NEEDED.containsKey(limit.getKey())
                    ? limit.getValue().equals(NEEDED.get(limit.getKey()))
                    : UNLIMITED.contains(limit.getValue()));
    return limits.isEmpty()
        ? Finding.ok(
            "new-sessions",
            "writable, without limits of rows, statement timeouts or idle transaction timeouts")
        : Finding.warning(
            "new-sessions",
            "the server gives new sessions %s; RowQueue's own sessions override them, other programs' sessions do not"
                .formatted(limits),
            "reset the global values, or set session values in those programs");
  }

  /** At the limit, statements of workers and producers fail with error 1461. */
  List<Finding> statements() {
    long most = ServerVariables.read(transactions).number("max_prepared_stmt_count");
    Record open = transactions.read(dsl -> dsl.fetchOne(OPEN_STATEMENTS));
    return List.of(
        open == null
            ? Finding.unknown("statements", "the server does not show Prepared_stmt_count", "")
            : statements(open.get(1, Long.class), most));
  }

  static Finding statements(long open, long most) {
    String found =
        "%,d prepared statements are open, max_prepared_stmt_count is %,d".formatted(open, most);
    return most == 0 || open * 100 > most * MOST_PERCENT
        ? Finding.warning(
            "statements",
            found,
            "raise it (each connection of a worker keeps up to %d), or find the client that does not"
                    .formatted(WorkerPools.CACHED_STATEMENTS)
                + " close its statements; at the limit statements fail with error 1461")
        : Finding.ok("statements", found);
  }

  static Finding packet(ServerVariables server, long messageBytes) {
    long packet = server.number("max_allowed_packet");
    long needed = messageBytes + STATEMENT_BYTES;
    return packet < needed
        ? Finding.warning(
            "max-packet",
            "max_allowed_packet is %,d bytes, and the largest message needs %,d"
                .formatted(packet, needed),
            "raise it in the server's configuration, or lower --max-payload-size")
        : Finding.ok("max-packet", "max_allowed_packet is %,d bytes".formatted(packet));
  }
}
