package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

@DisabledIfSystemProperty(
    named = "test.skip.pure",
    matches = "true",
    disabledReason = "it is about the embedded server")
class EmbeddedMariaDbIT {

  private static final String HOME = "rowqueue-mariadb-";

  private static final List<EmbeddedMariaDb> STARTED = new ArrayList<>();

  private EmbeddedMariaDb server = STARTED.get(0);

  @BeforeAll
  static void start() {
    STARTED.add(EmbeddedMariaDb.start());
  }

  @AfterAll
  static void close() {
    STARTED.forEach(EmbeddedMariaDb::close);
  }

  @BeforeEach
  void running() {
    server = STARTED.get(0);
    if (!server.isRunning()) {
      server.restart();
    }
  }

  @Test
  void start_withoutOptions_isAsTeamsRunIt() throws SQLException {
    assertThat(query("SELECT @@bind_address")).containsExactly("127.0.0.1");
    assertThat(query("SELECT @@innodb_flush_log_at_trx_commit")).containsExactly("1");
    assertThat(query("SELECT @@transaction_isolation")).containsExactly("REPEATABLE-READ");
    assertThat(query("SELECT @@time_zone")).containsExactly("+05:00");
    assertThat(query("SELECT @@character_set_server")).containsExactly("utf8mb4");
    assertThat(query("SELECT VERSION()")).allMatch(version -> version.contains("MariaDB"));
  }

  /** Any server that starts deletes what it finds of others' temporary tables. */
  @Test
  void temporaryTables_lieWhereNoOtherServerLooks() throws SQLException {
    assertThat(query("SELECT CONCAT(@@tmpdir, '/') = @@datadir")).containsExactly("1");
  }

  @Test
  void start_accounts_areOneWithAllPrivilegesAndNoneWithoutPassword() throws SQLException {
    assertThat(query("SELECT CONCAT(User, '@', Host) FROM mysql.global_priv ORDER BY 1"))
        .containsExactly("it@%", "mariadb.sys@localhost");
    assertThat(query("SHOW GRANTS"))
        .allMatch(grant -> grant.startsWith("GRANT ALL PRIVILEGES ON *.* TO `it`@`%`"))
        .allMatch(grant -> grant.endsWith("WITH GRANT OPTION"));
    assertThat(query("SHOW DATABASES")).doesNotContain("test");
    assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl("it"), "root", ""))
        .isInstanceOf(SQLException.class);
    assertThatThrownBy(() -> DriverManager.getConnection(server.jdbcUrl("it"), "it", ""))
        .isInstanceOf(SQLException.class);
  }

  @Test
  void start_withOptions_letsThemWin() throws SQLException {
    try (EmbeddedMariaDb other =
        EmbeddedMariaDb.start("--innodb-flush-log-at-trx-commit=2", "--default-time-zone=-03:00")) {
      assertThat(query(other, "SELECT @@innodb_flush_log_at_trx_commit")).containsExactly("2");
      assertThat(query(other, "SELECT @@time_zone")).containsExactly("-03:00");
      assertThat(other.port()).isNotEqualTo(server.port());
    }
  }

  @Test
  void start_withOptionTheServerDoesNotKnow_failsWithItsLogAndLeavesNothing() throws Exception {
    String option = "no-such-option-" + UUID.randomUUID();

    assertThatThrownBy(() -> EmbeddedMariaDb.start("--" + option + "=1"))
        .isInstanceOf(TestServerException.class)
        .hasMessageContaining("unknown variable '" + option + "=1'");
    assertThat(homesOfServersThatSaid(option)).isEmpty();
  }

  @Test
  void restart_afterStop_keepsDataAndPort() throws SQLException {
    int port = server.port();
    query("CREATE TABLE IF NOT EXISTS it.stopped (id INT PRIMARY KEY)");
    query("INSERT INTO it.stopped VALUES (1)");

    server.stop();
    assertThat(server.isRunning()).isFalse();
    assertThatThrownBy(() -> query("SELECT 1")).isInstanceOf(SQLException.class);
    server.restart();

    assertThat(server.port()).isEqualTo(port);
    assertThat(query("SELECT id FROM it.stopped")).containsExactly("1");
  }

  @Test
  void restart_afterKill_recoversWhatWasCommittedAndOnlyThat() throws SQLException {
    query("CREATE TABLE IF NOT EXISTS it.killed (id INT PRIMARY KEY)");
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement()) {
      statement.execute("INSERT INTO it.killed VALUES (1)");
      connection.setAutoCommit(false);
      statement.execute("INSERT INTO it.killed VALUES (2)");
      server.kill();
      assertThat(server.isRunning()).isFalse();
      assertThatThrownBy(connection::commit).isInstanceOf(SQLException.class);
    }

    server.restart();

    assertThat(query("SELECT id FROM it.killed")).containsExactly("1");
  }

  @Test
  void restart_whileRunning_isAnotherProcess() {
    long before = server.pid();

    server.restart();

    assertThat(server.pid()).isNotEqualTo(before);
    assertThat(ProcessHandle.of(before)).isEmpty();
  }

  @Test
  void isRunning_serverKilledFromOutside_isNotice() {
    ProcessHandle.of(server.pid()).orElseThrow().destroyForcibly();

    Await.that("its death is seen", Duration.ofSeconds(10), () -> !server.isRunning());
    server.restart();
    assertThat(server.isRunning()).isTrue();
  }

  @Test
  void close_twice_leavesNeitherProcessNorFiles() throws Exception {
    EmbeddedMariaDb other = EmbeddedMariaDb.start();
    long pid = other.pid();
    Path home =
        Objects.requireNonNull(Path.of(query(other, "SELECT @@datadir").get(0)).getParent());
    assertThat(home.getFileName().toString()).startsWith(HOME);

    other.close();
    other.close();

    assertThat(ProcessHandle.of(pid)).isEmpty();
    assertThat(home).doesNotExist();
  }

  private List<String> query(String sql) throws SQLException {
    return query(server, sql);
  }

  private static List<String> query(EmbeddedMariaDb server, String sql) throws SQLException {
    try (Connection connection = connect(server);
        Statement statement = connection.createStatement()) {
      List<String> rows = new ArrayList<>();
      if (statement.execute(sql)) {
        try (ResultSet results = statement.getResultSet()) {
          while (results.next()) {
            rows.add(results.getString(1));
          }
        }
      }
      return rows;
    }
  }

  private static Connection connect(EmbeddedMariaDb server) throws SQLException {
    return DriverManager.getConnection(
        server.jdbcUrl(server.database()), server.user(), server.password());
  }

  /** Other servers come and go meanwhile. */
  private static List<Path> homesOfServersThatSaid(String text) throws IOException {
    try (Stream<Path> files = Files.list(Path.of(System.getProperty("java.io.tmpdir")))) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(HOME))
          .filter(home -> log(home).contains(text))
          .toList();
    }
  }

  private static String log(Path home) {
    try {
      return Files.readString(home.resolve("server.log"));
    } catch (IOException e) {
      return ""; // it is gone, or not there yet
    }
  }
}
