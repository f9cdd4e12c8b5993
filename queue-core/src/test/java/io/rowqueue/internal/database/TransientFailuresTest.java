package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import java.util.stream.Stream;
import org.jooq.exception.DataAccessException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransientFailuresTest {

  private static final String GENERAL = "HY000";

  static Stream<SQLException> passing() {
    return Stream.of(
        new SQLException("deadlock by its state", "40001", 0),
        new SQLException("link failure by its state", "08S01", 0),
        new SQLRecoverableException("the driver says so"),
        new SQLTransientConnectionException("the pool has none"),
        new SQLNonTransientConnectionException("gone", "08003", 0),
        new SQLNonTransientConnectionException("no state", null, 0));
  }

  static Stream<Throwable> staying() {
    return Stream.of(
        new SQLSyntaxErrorException("no such table", "42S02", 1146),
        new SQLIntegrityConstraintViolationException("duplicate", "23000", 1062),
        new SQLException("no state", null, 0),
        new SQLNonTransientConnectionException("wrong password", "28000", 1045),
        new IllegalStateException("no database in it"),
        new WorkFailure(new SQLException("the team's own", "40001", 1213)));
  }

  @ParameterizedTest
  @ValueSource(
      ints = {
        1020, 1037, 1038, 1040, 1041, 1047, 1053, 1135, 1180, 1203, 1205, 1213, 1226, 1290, 1461,
        1792, 1836, 1927, 3032, 3100, 3101
      })
  void isTransient_codesOfServersThatAreBusyOrChanging_pass(int code) {
    SQLException error = new SQLException("of the server", GENERAL, code);
    assertThat(TransientFailures.isTransient(error)).isTrue();
    assertThat(TransientFailures.requiresRollback(error)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("passing")
  void isTransient_wrappedOrNot_passes(SQLException error) {
    assertThat(TransientFailures.isTransient(error)).isTrue();
    assertThat(TransientFailures.isTransient(new DataAccessException("in jOOQ", error))).isTrue();
  }

  @ParameterizedTest
  @MethodSource("staying")
  void isTransient_whatARepetitionCannotMend_stays(Throwable failure) {
    assertThat(TransientFailures.isTransient(failure)).isFalse();
    assertThat(TransientFailures.isTransient(null)).isFalse();
  }

  @Test
  void isReadOnly_whereAnotherServerMayTakeTheWrites() {
    assertThat(
            Stream.of(
                new SQLException("running with the --super-read-only option", GENERAL, 1290),
                new SQLException("of the server", GENERAL, 1836),
                new SQLException("of the group", GENERAL, 3100),
                new SQLException("of Galera", "08S01", 1047),
                new SQLException("Connection is read-only.", "S1009", 0)))
        .allMatch(TransientFailures::isReadOnly);
    assertThat(
            Stream.of(
                new SQLException("running with the --secure-file-priv option", GENERAL, 1290),
                new SQLException("Parameter index out of range", "S1009", 0),
                new SQLException("deadlock", "40001", 1213)))
        .noneMatch(TransientFailures::isReadOnly);
  }

  @Test
  void isUnavailable_onlyWhereTheWorkCannotBeToBlame() {
    assertThat(
            Stream.of(
                new SQLTransientConnectionException("the pool has none"),
                new SQLException("running with the --read-only option", GENERAL, 1290),
                new SQLException("no more than max_prepared_stmt_count", "42000", 1461),
                new SQLException("The table 'queue_message' is full", GENERAL, 1114),
                new SQLException("Disk full (orders); waiting for space", GENERAL, 1021),
                new SQLException("(OS errno 28 - No space left on device)", GENERAL, 1026)))
        .allMatch(TransientFailures::isUnavailable);
    assertThat(
            Stream.of(
                new SQLException("packet too large", "08S01", 1153),
                new SQLException("The table '/tmp/#sql2c7_8_0' is full", GENERAL, 1114),
                new SQLException("read-only transaction", "25006", 1792),
                new WorkFailure(new SQLTransientConnectionException("the team's own pool"))))
        .noneMatch(TransientFailures::isUnavailable);
  }

  @Test
  void isRefusal_onlyWhereTheServerHasAnsweredForGood() {
    assertThat(
            Stream.of(
                new SQLSyntaxErrorException("no such table", "42S02", 1146),
                new SQLException("a trigger says no", "45000", 1644),
                new DataAccessException("in jOOQ", new SQLException("denied", "42000", 1142))))
        .allMatch(TransientFailures::isRefusal);
    assertThat(
            Stream.of(
                new SQLException("deadlock", "40001", 1213),
                new SQLException("The table 'queue_archive' is full", GENERAL, 1114),
                new SQLRecoverableException("gone"),
                new SQLException("HikariDataSource has been closed."),
                new IllegalStateException("no server in it"),
                new WorkFailure(new SQLException("the team's own", "45000", 1644))))
        .noneMatch(TransientFailures::isRefusal);
  }

  /** Nobody makes room within seconds, and the rest of the transaction would find none either. */
  @Test
  void noRoom_isNotRepeatedAndDooms() {
    SQLException full = new SQLException("The table 'queue_message' is full", GENERAL, 1114);
    assertThat(TransientFailures.isTransient(full)).isFalse();
    assertThat(TransientFailures.requiresRollback(full)).isTrue();
    assertThat(ServerAnswer.advice(new DataAccessException("in jOOQ", full)))
        .contains("no space left");
    assertThat(ServerAnswer.advice(new SQLException("not broadcast", GENERAL, 3100)))
        .contains("group_replication_transaction_size_limit");
    SQLException offline = new SQLException("in offline mode", GENERAL, 3032);
    assertThat(ServerAnswer.advice(new SQLTransientConnectionException("waited", "08001", offline)))
        .isEqualTo(": in offline mode");
    assertThat(ServerAnswer.advice(new SQLException("deadlock", GENERAL, 1213))).isEmpty();
  }

  @Test
  void isTransient_causesInACircle_ends() {
    RuntimeException inner = new RuntimeException("inner");
    RuntimeException outer = new RuntimeException("outer", inner);
    inner.initCause(outer);
    assertThat(TransientFailures.isTransient(outer)).isFalse();
  }

  @Test
  void leavesCommitOpen_onlyWhereNobodyKnowsWhetherItHappened() {
    assertThat(TransientFailures.leavesCommitOpen(new SQLException("link", "08S01", 0))).isTrue();
    assertThat(TransientFailures.leavesCommitOpen(new SQLException("group", GENERAL, 3100)))
        .isTrue();
    assertThat(
            TransientFailures.leavesCommitOpen(
                new SQLException("Not connected to Primary Component", GENERAL, 1180)))
        .isTrue();
    assertThat(TransientFailures.leavesCommitOpen(new SQLException("Got error 149", GENERAL, 1180)))
        .isFalse();
    assertThat(TransientFailures.leavesCommitOpen(new SQLException("deadlock", "40001", 1213)))
        .isFalse();
    assertThat(TransientFailures.leavesCommitOpen(new SQLException("killed", "70100", 1317)))
        .isTrue();
    assertThat(TransientFailures.leavesCommitOpen(new SQLTimeoutException("timed out"))).isTrue();
    assertThat(TransientFailures.leavesCommitOpen(new IllegalStateException("a proxy's"))).isTrue();
  }
}
