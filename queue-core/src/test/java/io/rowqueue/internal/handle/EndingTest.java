package io.rowqueue.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EndingTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SELECT 1",
        "  (select 1)",
        "insert into t values (1);",
        "UPDATE t SET n = 1",
        "/* of a mapper */ update t set n = 1",
        "-- of a person\nDELETE FROM t",
        "# of a person\nDELETE FROM t",
        "WITH one AS (SELECT 1) SELECT * FROM one",
        "INSERT INTO t VALUES ('a; b', \"c; d\")",
        "SELECT `a; b` FROM t",
        "GET DIAGNOSTICS @n = ROW_COUNT"
      })
  void of_whatReadsAndWritesRows_never(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.NEVER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SET @n = ROW_COUNT()",
        "SET @n := 1",
        "SET SESSION innodb_lock_wait_timeout = 1",
        "set @@session.foreign_key_checks = 0",
        "SET foreign_key_checks = 0",
        "CREATE TEMPORARY TABLE t (id INT)",
        "drop temporary table t",
        "SELECT @n := 1",
        "SELECT 1 into @n",
        "do get_lock('a', 0)"
      })
  void of_whatLeavesSomethingInTheSession_session(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.SESSION);
  }

  @ParameterizedTest
  @ValueSource(strings = {"USE app", "use`app`", "/* of a mapper */ USE app;"})
  void of_whatLeadsToAnotherDatabase_refused(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.REFUSED);
  }

  @ParameterizedTest
  @ValueSource(strings = {"CALL p()", "{call p()}", "{? = call f()}", "--\nCALL p()"})
  void of_aProcedure_call(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.CALL);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "SAVEPOINT a",
        "RELEASE SAVEPOINT a",
        "ROLLBACK TO a",
        "rollback work to savepoint a",
        "ROLLBACK TO`a`",
        "ROLLBACK TO SAVEPOINT a; -- and on"
      })
  void of_whatNamesASavepoint_savepoint(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.SAVEPOINT);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "SET autocommit = 1",
        "/*! COMMIT */",
        "/*M! COMMIT */",
        "INSERT INTO t VALUES (1); COMMIT",
        "COMMIT; INSERT INTO t VALUES (1)",
        "SELECT `it's`; COMMIT; SELECT 'x'",
        "SET @n = 1, autocommit = 1",
        "SET @@autocommit = 1",
        "SET PASSWORD = 'secret'",
        "SET GLOBAL read_only = 1",
        "SET STATEMENT max_statement_time = 1 FOR COMMIT",
        "INSERT INTO t VALUES ('a\\'); COMMIT -- ')",
        "BEGIN NOT ATOMIC SELECT 1",
        "UNLOCK TABLES",
        "OPTIMIZE TABLE t"
      })
  void of_whatNobodyHereKnows_perhaps(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.PERHAPS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "COMMIT",
        "commit work;",
        "/* now */ COMMIT",
        "--\nCREATE TABLE t AS\nSELECT 1",
        "FLUSH TABLES t",
        "ROLLBACK",
        "ROLLBACK AND CHAIN",
        "BEGIN",
        "START TRANSACTION",
        "CREATE TABLE t (id INT)",
        "ALTER TABLE t ADD n INT",
        "TRUNCATE t",
        "LOCK TABLES t WRITE"
      })
  void of_whatCommitsFirst_always(String sql) {
    assertThat(Ending.of(sql)).isEqualTo(Ending.ALWAYS);
  }

  @Test
  void of_aTextThatIsMostlyComments_isWhatComesBehindThem() {
    assertThat(Ending.of("-- a line\n".repeat(10_000) + "COMMIT")).isEqualTo(Ending.ALWAYS);
  }

  @Test
  void and_ofABatch_isTheWorst() {
    assertThat(Ending.NEVER.and(Ending.PERHAPS)).isEqualTo(Ending.PERHAPS);
    assertThat(Ending.ALWAYS.and(Ending.NEVER)).isEqualTo(Ending.ALWAYS);
    assertThat(Ending.CALL.and(Ending.SESSION)).isEqualTo(Ending.PERHAPS);
  }
}
