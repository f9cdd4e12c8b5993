package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
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
    assertThat(ServerChecks.binaryLog(with("binlog_format", "STATEMENT")).severity())
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
    assertThat(ServerChecks.durability(with("innodb_flush_log_at_trx_commit", "2")))
        .extracting(Finding::severity, Finding::subject)
        .containsExactly(Severity.WARNING, "durability");
    ServerVariables binlog =
        new ServerVariables(
            Map.of("innodb_flush_log_at_trx_commit", "1", "log_bin", "ON", "sync_binlog", "0"));
    assertThat(ServerChecks.durability(binlog).severity()).isEqualTo(Severity.WARNING);
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
