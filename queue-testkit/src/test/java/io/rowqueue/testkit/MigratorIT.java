package io.rowqueue.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.Migrator.Migrated;
import io.rowqueue.worker.Migrator.MigrationException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MigratorIT {

  private static final String SCRIPT = "V1__queue.sql";

  private final QueueDatabase database = QueueDatabase.createEmpty();

  @AfterEach
  void drop() {
    database.close();
  }

  @Test
  void migrate_emptySchema_goesFromNothingToOne() {
    assertThat(Migrator.migrate(database.dataSource()))
        .isEqualTo(new Migrated(0, 1, List.of(SCRIPT)));
    assertThat(database.count("SELECT COUNT(*) FROM queue_schema")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(queue_name) FROM queue_schema")).isEqualTo(1);
  }

  @Test
  void script_runByAnAdministrator_createsWhatMigrateCreates() throws Exception {
    String columns =
        "SELECT CONCAT_WS(' ', table_name, column_name, column_type, is_nullable, column_default,"
            + " collation_name) FROM information_schema.columns WHERE table_schema = '%s'"
            + " AND table_name <> 'queue_flyway_history' ORDER BY 1";
    String indexes =
        "SELECT CONCAT_WS(' ', table_name, index_name, seq_in_index, column_name) FROM"
            + " information_schema.statistics WHERE table_schema = '%s'"
            + " AND table_name <> 'queue_flyway_history' ORDER BY 1";
    Migrator.migrate(database.dataSource());
    try (QueueDatabase printed = QueueDatabase.createEmpty()) {
      // One connection, since the script begins with settings of the session.
      try (Connection connection = printed.dataSource().getConnection();
          Statement statement = connection.createStatement()) {
        String script = Migrator.script().replaceAll("(?m)^ *--.*\n", "");
        for (String sql : script.strip().replaceAll(";$", "").split(";\n", -1)) {
          statement.execute(sql);
        }
      }

      for (String query : List.of(columns, indexes)) {
        assertThat(printed.strings(query.formatted(printed.name())))
            .hasSizeGreaterThan(50)
            .isEqualTo(database.strings(query.formatted(database.name())));
      }
      assertThat(printed.count("SELECT COUNT(queue_name) FROM queue_schema")).isEqualTo(1);
      assertThatThrownBy(() -> Migrator.migrate(printed.dataSource()))
          .isInstanceOf(MigrationException.class)
          .hasMessageContaining("tables of these names exist");
    }
  }

  @Test
  void migrate_again_changesNothing() {
    Migrator.migrate(database.dataSource());

    Migrated second = Migrator.migrate(database.dataSource());

    assertThat(second).isEqualTo(new Migrated(1, 1, List.of()));
    assertThat(second.changed()).isFalse();
  }

  @Test
  void migrate_schemaOfANewerVersion_isLeftAsItIs() {
    Migrator.migrate(database.dataSource());
    database.execute(
        """
        INSERT INTO queue_flyway_history (installed_rank, version, description, type, script,
          checksum, installed_by, execution_time, success)
        VALUES (9, '2', 'later', 'SQL', 'V2__later.sql', 1, 'it', 1, 1)
        """);

    assertThat(Migrator.migrate(database.dataSource())).isEqualTo(new Migrated(2, 2, List.of()));
  }

  @Test
  void migrate_besideTheTeamsTablesAndTheirFlyway_touchesNeither() {
    database.execute(
        "CREATE TABLE shop_order (id INT PRIMARY KEY)",
        "CREATE TABLE flyway_schema_history (installed_rank INT PRIMARY KEY)",
        "INSERT INTO shop_order VALUES (7)");

    assertThat(Migrator.migrate(database.dataSource()).to()).isEqualTo(1);

    assertThat(database.strings("SELECT id FROM shop_order")).containsExactly("7");
    assertThat(database.count("SELECT COUNT(*) FROM flyway_schema_history")).isZero();
    assertThat(Migrator.migrate(database.dataSource()).changed()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void migrate_eightAtOnce_oneDoesItAndAllSucceed(boolean besideOtherTables) {
    if (besideOtherTables) {
      database.execute("CREATE TABLE shop_order (id INT PRIMARY KEY)");
    }
    int threads = 8;
    CyclicBarrier together = new CyclicBarrier(threads);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<CompletableFuture<Migrated>> all =
          IntStream.range(0, threads)
              .mapToObj(i -> CompletableFuture.supplyAsync(() -> migrateWith(together), pool))
              .toList();

      assertThat(all).allSatisfy(one -> assertThat(one.join().to()).isEqualTo(1));
      assertThat(all).filteredOn(one -> one.join().changed()).hasSize(1);
    } finally {
      pool.shutdownNow();
    }
  }

  @Tag("ci")
  @Test
  void migrate_twoJvmsAtOnce_sayOneLineBetweenThem() throws Exception {
    Map<String, String> url = Map.of("schema.url", database.url());
    try (ChildJvm one = ChildJvm.start(List.of(), ChildJvm.classPath(), url, MigrateMain.class);
        ChildJvm two = ChildJvm.start(List.of(), ChildJvm.classPath(), url, MigrateMain.class)) {
      List<String> lines = new java.util.ArrayList<>(one.awaitEnd());
      lines.addAll(two.awaitEnd());

      assertThat(lines).filteredOn(line -> line.startsWith("result ")).hasSize(2);
      assertThat(lines)
          .filteredOn(line -> !line.startsWith("result "))
          .singleElement()
          .asString()
          .endsWith(
              "schema %s went from version 0 to 1 with %s".formatted(database.name(), SCRIPT));
    }
  }

  @Test
  void migrate_poolWithoutAutoCommit_commitsAllTheSame() {
    DataSource pool =
        new ConnectionsOf(
            database.dataSource(), connection -> connection.setAutoCommit(false), new Counter());

    Migrator.migrate(pool);

    assertThat(database.count("SELECT COUNT(queue_name) FROM queue_schema")).isEqualTo(1);
    assertThat(Migrator.migrate(pool).changed()).isFalse();
  }

  @Test
  void migrate_connections_areAtMostThreeAtOnceAndAllGivenBack() {
    Counter counter = new Counter();

    Migrator.migrate(new ConnectionsOf(database.dataSource(), connection -> {}, counter));

    assertThat(counter.most()).isLessThanOrEqualTo(3);
    assertThat(counter.open()).isZero();
  }

  @Test
  void migrate_contextClassLoaderThatKnowsNothing_findsItsScripts() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try {
      assertThat(Migrator.migrate(database.dataSource()).scripts()).containsExactly(SCRIPT);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void migrate_accountThatMayOnlyRead_saysWhichGrantsItNeeds() {
    String user = database.name() + "_r";
    database.execute(
        "CREATE USER '" + user + "'@'%' IDENTIFIED BY 'secret'",
        "GRANT SELECT ON " + database.name() + ".* TO '" + user + "'@'%'");
    try {
      String url = database.url().replaceFirst("user=[^&]*", "user=" + user);
      DataSource reader = new UrlDataSource(url.replaceFirst("password=[^&]*", "password=secret"));

      assertThatThrownBy(() -> Migrator.migrate(reader))
          .isInstanceOf(MigrationException.class)
          .hasMessageContaining("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER");
    } finally {
      database.execute("DROP USER '" + user + "'@'%'");
    }
  }

  @Test
  void migrate_wrongPassword_saysSoAndNotThePassword() {
    String url = database.url().replaceFirst("password=[^&]*", "password=hunter2");

    assertThatThrownBy(() -> Migrator.migrate(new UrlDataSource(url)))
        .isInstanceOf(MigrationException.class)
        .hasMessageContaining("Check the user and the password")
        .hasMessageNotContaining("hunter2");
  }

  @Test
  void migrate_nobodyListens_saysWhatToCheck() {
    DataSource nowhere = new UrlDataSource("jdbc:mysql://127.0.0.1:1/app?user=a&password=b");

    assertThatThrownBy(() -> Migrator.migrate(nowhere))
        .isInstanceOf(MigrationException.class)
        .hasMessageContaining("Check that the server runs");
  }

  @Test
  void migrate_urlWithoutSchema_saysToAddOne() {
    DataSource none = new UrlDataSource(TestServer.shared().url(""));

    assertThatThrownBy(() -> Migrator.migrate(none))
        .isInstanceOf(MigrationException.class)
        .hasMessageContaining("names no schema");
  }

  @Test
  void migrate_tableInTheWay_isLeftAloneAndNothingIsBegun() {
    database.execute("CREATE TABLE queue_topic (id INT)");

    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> Migrator.migrate(database.dataSource()))
          .isInstanceOf(MigrationException.class)
          .hasMessageContaining("tables of these names exist: queue_topic;");
      assertThat(database.strings("SHOW TABLES")).containsExactly("queue_topic");
    }

    database.execute("DROP TABLE queue_topic", "CREATE TABLE queue_of_the_team (id INT)");
    assertThat(Migrator.migrate(database.dataSource()).to()).isEqualTo(1);
  }

  /** Whether Flyway could still write that it failed, or its process was gone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void migrate_behindOneThatWasCutOff_goesOnAndKeepsWhatIsThere(boolean said) {
    Migrator.migrate(database.dataSource());
    List<String> all = database.strings("SHOW TABLES");
    database.execute(
        "DROP TABLE queue_payload_chunk",
        "DROP TABLE queue_schema",
        "INSERT INTO queue_message (topic, payload) VALUES ('early', '{}')",
        said
            ? "UPDATE queue_flyway_history SET success = 0 WHERE version = '1'"
            : "DELETE FROM queue_flyway_history WHERE version = '1'");

    assertThat(Migrator.migrate(database.dataSource()))
        .isEqualTo(new Migrated(0, 1, List.of(SCRIPT)));

    assertThat(database.strings("SHOW TABLES")).isEqualTo(all);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
    assertThat(database.count("SELECT COUNT(queue_name) FROM queue_schema")).isEqualTo(1);
  }

  /** The second one makes NULL of '', where the server has it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "default_storage_engine = 'MyISAM'",
        "sql_mode = CONCAT('ANSI_QUOTES', IF(VERSION() LIKE '%MariaDB%', ',EMPTY_STRING_IS_NULL',"
            + " ''))"
      })
  void migrate_sessionsThatMakeOtherTables_makesTheSame(String setting) {
    assertThat(Migrator.migrate(withSession(setting)).to()).isEqualTo(1);

    assertThat(
            database.strings(
                "SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE()"
                    + " AND engine <> 'InnoDB'"))
        .isEmpty();
  }

  /** Without backslash escapes, MySQL found no table, and wrote over the team's. */
  @Test
  void migrate_tableInTheWay_withoutBackslashEscapes_isLeftAlone() {
    database.execute("CREATE TABLE queue_topic (id INT)");
    assertThatThrownBy(() -> Migrator.migrate(withSession("sql_mode = 'NO_BACKSLASH_ESCAPES'")))
        .hasMessageContaining("tables of these names exist: queue_topic;");
    assertThat(database.strings("SHOW TABLES")).containsExactly("queue_topic");
  }

  @Test
  void migrate_leavesSessionsAsTheyWere() {
    String settings =
        "SELECT CONCAT_WS(' ', @@sql_mode, @@default_storage_engine, @@wait_timeout,"
            + " @@sql_safe_updates, @@autocommit)";
    List<String> before = new ArrayList<>();
    List<String> after = new ArrayList<>();
    DataSource odd =
        withSession(
            "default_storage_engine = 'MyISAM', sql_safe_updates = 1, wait_timeout = 4321, sql_mode"
                + " = CONCAT('ANSI_QUOTES', IF(VERSION() LIKE '%MariaDB%', ',EMPTY_STRING_IS_NULL',"
                + " ''))");
    DataSource asked =
        new FreshConnections(
            () -> {
              Connection real = odd.getConnection();
              before.add(ask(real, settings));
              return (Connection)
                  Proxy.newProxyInstance(
                      MigratorIT.class.getClassLoader(),
                      new Class<?>[] {Connection.class},
                      (proxy, method, arguments) -> {
                        if (method.getName().equals("close") && !real.isClosed()) {
                          after.add(ask(real, settings));
                        }
                        return method.invoke(real, arguments);
                      });
            });

    assertThat(Migrator.migrate(asked).to()).isEqualTo(1);

    // None was closed, although Flyway clears the variables of its connection.
    assertThat(after).hasSameSizeAs(before).containsOnly(before.get(0));
    assertThat(before.get(0)).contains("ANSI_QUOTES", "MyISAM 4321 ");
  }

  private DataSource withSession(String settings) {
    return new ConnectionsOf(
        database.dataSource(),
        connection -> {
          try (Statement statement = connection.createStatement()) {
            statement.execute("SET SESSION " + settings);
          }
        },
        new Counter());
  }

  private static String ask(Connection connection, String query) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void migrate_schemaWithABacktick_isRefusedByName() {
    database.execute("CREATE DATABASE `%s``x`".formatted(database.name()));
    try {
      DataSource backtick = new UrlDataSource(TestServer.shared().url(database.name() + "%60x"));
      assertThatThrownBy(() -> Migrator.migrate(backtick))
          .isInstanceOf(MigrationException.class)
          .hasMessageContaining("backtick");
    } finally {
      database.execute("DROP DATABASE `%s``x`".formatted(database.name()));
    }
  }

  private Migrated migrateWith(CyclicBarrier together) {
    try {
      together.await(30, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
    return Migrator.migrate(database.dataSource());
  }
}
