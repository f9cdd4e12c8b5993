package io.rowqueue.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.internal.database.WritableHosts;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.tests.HasItsOwnServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@HasItsOwnServer
class WritableHostsIT {

  private static EmbeddedMariaDb first;
  private static EmbeddedMariaDb second;

  @BeforeAll
  static void startServers() {
    first = EmbeddedMariaDb.start();
    second = EmbeddedMariaDb.start();
  }

  @AfterAll
  static void stopServers() {
    first.close();
    second.close();
  }

  @BeforeEach
  void bothTakeWrites() throws SQLException {
    readOnly(first, false);
    readOnly(second, false);
  }

  private static void readOnly(EmbeddedMariaDb server, boolean readOnly) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(server.jdbcUrl(server.database()), account());
        Statement statement = connection.createStatement()) {
      statement.execute("SET GLOBAL read_only = " + (readOnly ? 1 : 0));
    }
  }

  private static Properties account() {
    Properties account = new Properties();
    account.setProperty("user", first.user());
    account.setProperty("password", first.password());
    return account;
  }

  private static WritableHosts both() {
    return new WritableHosts(
        "jdbc:mysql://127.0.0.1:%d,127.0.0.1:%d/%s"
            .formatted(first.port(), second.port(), first.database()));
  }

  private static int port(WritableHosts hosts) throws SQLException {
    try (Connection connection = hosts.connect(account())) {
      return port(connection);
    }
  }

  private static int port(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT @@port")) {
      row.next();
      return row.getInt(1);
    }
  }

  @Test
  void first_becomesReadOnly_connectionsMoveAndStayWhenItComesBack() throws Exception {
    WritableHosts hosts = both();
    AtomicInteger moves = new AtomicInteger();
    hosts.onMove(moves::incrementAndGet);
    try (Connection before = hosts.connect(account())) {
      assertThat(port(before)).isEqualTo(first.port());
      readOnly(first, true);
      assertThat(port(hosts)).isEqualTo(second.port());
      assertThat(hosts.isCurrent(before)).isFalse();
      readOnly(first, false);
      assertThat(port(hosts)).isEqualTo(second.port());
    }
    assertThat(moves).hasValue(1);
  }

  @Test
  void first_dead_connectionsLeadToTheSecond() throws Exception {
    int nobody;
    try (EmbeddedMariaDb gone = EmbeddedMariaDb.start()) {
      nobody = gone.port();
    }
    assertThat(
            port(
                new WritableHosts(
                    "jdbc:mysql://127.0.0.1:%d,127.0.0.1:%d/%s"
                        .formatted(nobody, second.port(), second.database()))))
        .isEqualTo(second.port());
  }

  @Test
  void allReadOnly_isAFailureThatPassesAndSaysSo() throws Exception {
    readOnly(first, true);
    readOnly(second, true);
    assertThatThrownBy(() -> both().connect(account()))
        .isInstanceOf(SQLTransientConnectionException.class)
        .hasMessageContainingAll("is writable", "127.0.0.1:" + second.port());
  }

  @Test
  void oneHost_isNotAsked() throws Exception {
    readOnly(first, true);
    assertThat(port(new WritableHosts(first.jdbcUrl(first.database())))).isEqualTo(first.port());
  }

  @Test
  void wrongPassword_isToldInTheServersOwnWords() {
    Properties wrong = account();
    wrong.setProperty("password", "wrong");
    assertThatThrownBy(() -> both().connect(wrong))
        .isInstanceOfSatisfying(
            SQLException.class, e -> assertThat(e.getErrorCode()).isIn(1045, 1698));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "//127.0.0.1:A,127.0.0.1:B/S",
        "//[127.0.0.1:A,127.0.0.1:B]/S",
        "//address=(host=127.0.0.1)(port=A),address=(host=127.0.0.1)(port=B)/S",
        "//(host=127.0.0.1,port=A),(host=127.0.0.1,port=B)/S",
        "//localhost:A,(host=127.0.0.1,port=B)/S?connectTimeout=2000"
      })
  void hosts_inEveryFormOfTheDrivers_areUnderstood(String form) throws Exception {
    readOnly(first, true);
    String url =
        form.replace("A", Integer.toString(first.port()))
            .replace("B", Integer.toString(second.port()))
            .replace("S", second.database());
    try (Connection connection = new WritableHosts("jdbc:mysql:" + url).connect(account())) {
      assertThat(port(connection)).isEqualTo(second.port());
      assertThat(connection.getCatalog()).isEqualTo(second.database());
    }
  }
}
