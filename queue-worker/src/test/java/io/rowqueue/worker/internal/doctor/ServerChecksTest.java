package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.QueueException;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the doctor makes of settings that no test server can be given. */
class ServerChecksTest {

  private static ServerVariables with(String name, String value) {
    return new ServerVariables(Map.of(name, value));
  }

  @ParameterizedTest
  @CsvSource({
    "8.0.18, PROBLEM",
    "8.0.19, OK",
    "5.7.44-log, PROBLEM",
    "9.7.4-2, OK",
    "10.5.29-MariaDB-log, PROBLEM",
    "10.6.0-MariaDB, OK",
    "11.4.5-MariaDB-ubu2404, OK",
    "TiDB, UNKNOWN"
  })
  void version_decidesByWhatTheServerCallsItself(String version, Severity severity) {
    assertThat(ServerChecks.version(with("version", version)).severity()).isEqualTo(severity);
  }

  @Test
  void binaryLog_thatIsOnInStatements_isAProblem() {
    ServerVariables statements =
        new ServerVariables(Map.of("log_bin", "ON", "binlog_format", "STATEMENT"));
    assertThat(ServerChecks.binaryLog(statements).severity()).isEqualTo(Severity.PROBLEM);
    ServerVariables off =
        new ServerVariables(Map.of("log_bin", "OFF", "binlog_format", "STATEMENT"));
    assertThat(ServerChecks.binaryLog(off).severity())
        .as("of a log that is off")
        .isEqualTo(Severity.OK);
  }

  @Test
  void writable_onAReplica_isAProblem() {
    assertThat(ServerChecks.writable(with("read_only", "ON")).severity())
        .isEqualTo(Severity.PROBLEM);
    assertThat(ServerChecks.writable(with("read_only", "OFF")).severity()).isEqualTo(Severity.OK);
  }

  @Test
  void durability_lessThanFull_isAWarning() {
    assertThat(ServerChecks.durability(with("innodb_flush_log_at_trx_commit", "2"), true))
        .extracting(Finding::severity, Finding::subject)
        .containsExactly(Severity.WARNING, "durability");
    ServerVariables binlog =
        new ServerVariables(
            Map.of("innodb_flush_log_at_trx_commit", "1", "log_bin", "ON", "sync_binlog", "0"));
    assertThat(ServerChecks.durability(binlog, true).severity()).isEqualTo(Severity.WARNING);
    ServerVariables off =
        new ServerVariables(
            Map.of("innodb_flush_log_at_trx_commit", "1", "log_bin", "OFF", "sync_binlog", "0"));
    assertThat(ServerChecks.durability(off, true).found()).contains("the binary log is off");
  }

  @ParameterizedTest
  @CsvSource({
    "11.4.5-MariaDB, 3, true, OK",
    "11.4.5-MariaDB, 0, true, WARNING",
    "9.7.0, 1, true, OK",
    "9.7.0, 3, true, WARNING",
    "9.7.0, 1, false, PROBLEM"
  })
  void durability_isJudgedByTheServersOwnValues(
      String version, String flush, boolean hasRedoLog, Severity severity) {
    ServerVariables server =
        new ServerVariables(
            Map.of("version", version, "innodb_flush_log_at_trx_commit", flush, "log_bin", "OFF"));
    assertThat(ServerChecks.durability(server, hasRedoLog).severity()).isEqualTo(severity);
  }

  @ParameterizedTest
  @CsvSource({
    "sql_big_selects, ON, OK",
    "sql_big_selects, OFF, WARNING",
    "max_join_size, 1000, WARNING",
    "tx_read_only, ON, WARNING",
    "check_constraint_checks, OFF, WARNING",
    "sql_mode, STRICT_TRANS_TABLES, OK",
    "sql_mode, 'ORACLE,EMPTY_STRING_IS_NULL', WARNING"
  })
  void newSessions_thatDifferFromWhatIsNeeded_areAWarning(
      String name, String value, Severity severity) {
    Map<String, String> settings = Map.of("sql_select_limit", "18446744073709551615", name, value);
    assertThat(ServerChecks.newSessions(settings).severity()).isEqualTo(severity);
  }

  @ParameterizedTest
  @CsvSource({"0, 16382, OK", "800, 1000, OK", "801, 1000, WARNING", "0, 0, WARNING"})
  void statements_aboveFourFifthsOfTheLimit_areAWarning(long open, long most, Severity severity) {
    assertThat(ServerChecks.statements(open, most).severity()).isEqualTo(severity);
  }

  /** As behind a proxy that answers for itself: the doctor makes it unknown. */
  @Test
  void checks_ofWhatTheServerDoesNotShow_areNotOk() {
    ServerVariables none = new ServerVariables(Map.of());
    List<Function<ServerVariables, Finding>> checks =
        List.of(
            ServerChecks::version,
            ServerChecks::writable,
            ServerChecks::isolation,
            ServerChecks::binaryLog,
            server -> ServerChecks.durability(server, true),
            server -> ServerChecks.packet(server, 1));
    assertThat(checks)
        .allSatisfy(
            check ->
                assertThatThrownBy(() -> check.apply(none))
                    .isInstanceOf(QueueException.class)
                    .hasMessageStartingWith("the server does not show"));
    assertThat(ServerChecks.newSessions(Map.of()).severity()).isEqualTo(Severity.UNKNOWN);
  }

  @Test
  void isolation_isReadUnderEitherName() {
    assertThat(ServerChecks.isolation(with("tx_isolation", "REPEATABLE-READ")).severity())
        .isEqualTo(Severity.OK);
    assertThat(ServerChecks.isolation(with("transaction_isolation", "SERIALIZABLE")).severity())
        .isEqualTo(Severity.WARNING);
  }

  @Test
  void finding_thatIsBad_mustSayWhatToDo() {
    assertThatThrownBy(() -> Finding.problem("server", "it burns", ""))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
