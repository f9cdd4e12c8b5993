package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.FreshConnections;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.internal.BorrowedConnections;
import io.rowqueue.worker.internal.BorrowedConnections.Purpose;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QueueTest
class DoctorIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private static final DoctorSettings SETTINGS =
      DoctorSettings.defaults().withThreads(4).withLongTransaction(Duration.ofHours(1));

  private final QueueDatabase database;

  DoctorIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void heal() {
    database.execute(
        "DELETE FROM queue_worker",
        "DELETE FROM queue_message",
        "DELETE FROM queue_subscription",
        "DELETE FROM queue_publication_lock",
        "DELETE FROM queue_schedule");
  }

  private TestWorker worker() {
    return TestWorker.start(database, Handlers.bind("order", (order, context) -> {}));
  }

  private List<Finding> examine(DataSource dataSource, DoctorSettings settings)
      throws SQLException {
    return Doctor.of(dataSource, settings).examine();
  }

  private static Set<String> wrong(List<Finding> findings) {
    return findings.stream()
        .filter(finding -> finding.severity().compareTo(Severity.WARNING) >= 0)
        .map(Finding::subject)
        .collect(Collectors.toSet());
  }

  private Set<String> found() throws SQLException {
    return wrong(examine(database.dataSource(), SETTINGS));
  }

  /** Each fault is found, and nothing else is. */
  @Test
  void examine_withoutTime_checksNothingAndSaysSo() throws SQLException {
    assertThat(Doctor.of(database.dataSource(), DoctorSettings.defaults()).examine(Duration.ZERO))
        .isNotEmpty()
        .allMatch(finding -> finding.severity() == Severity.UNKNOWN)
        .allMatch(finding -> finding.found().startsWith("not checked"));
  }

  @Test
  void examine_ofAHealthyDeployment_findsNothing() throws SQLException {
    try (TestWorker worker = worker()) {
      MessageProducer.create().enqueue(database.dataSource(), NewMessage.of("order", new Order(1)));
      List<Finding> findings = examine(database.dataSource(), SETTINGS);
      assertThat(findings)
          .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
          .hasSizeGreaterThan(15);
      assertThat(Doctor.worst(findings)).isEqualTo(Severity.OK);
    }
  }

  @Test
  void examine_whereNobodyHasMigrated_saysSoAndStopsThere() throws SQLException {
    try (QueueDatabase empty = QueueDatabase.createEmpty()) {
      List<Finding> findings = examine(empty.dataSource(), SETTINGS);
      assertThat(wrong(findings)).containsExactly("schema");
      assertThat(findings.get(findings.size() - 1).found()).contains("queue-worker migrate");
    }
  }

  @Test
  void examine_withoutAnyWorker_findsNone() throws SQLException {
    assertThat(found()).containsExactly("workers");
  }

  @Test
  void examine_withALeaseThatIsNotRenewed_namesItsWorker() throws SQLException {
    try (TestWorker worker = worker()) {
      database.execute(
          """
          INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,
            started_at, updated_at)
          VALUES ('gone-1-x', 'gone', 1, 1, UTC_TIMESTAMP(6) + INTERVAL 1 SECOND, 'v', 'order',
            UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))
          """);
      worker.close();
      Await.that(
          "the lease runs out",
          SOON,
          () ->
              database.count(
                      "SELECT COUNT(*) FROM queue_worker WHERE lease_until < UTC_TIMESTAMP(6)")
                  == 1);
      assertThat(examine(database.dataSource(), SETTINGS))
          .anySatisfy(
              finding -> assertThat(finding.found()).startsWith("gone-1-x has not renewed"));
    }
  }

  private void claimed(int id, String lockId, String since) {
    database.execute(
        "INSERT INTO queue_message (id, topic, payload, state, lock_id, updated_at) VALUES (%d,"
                .formatted(id)
            + " 'order', '1', 1, '%s', UTC_TIMESTAMP(6) - INTERVAL %s)".formatted(lockId, since));
  }

  private void dead(String lockId, String since) {
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) SELECT '%s', 'h', 1, 0, gone, 'v', 'order', gone, gone FROM"
                .formatted(lockId)
            + " (SELECT UTC_TIMESTAMP(6) - INTERVAL %s AS gone) AS w".formatted(since));
  }

  /** As where the server refuses the rescue: no worker that is alive has ended it. */
  @Test
  void examine_withMessagesThatNobodyRescues_namesThem() throws SQLException {
    dead("long-1-x", "10 MINUTE");
    dead("just-1-x", "10 SECOND");
    claimed(1, "long-1-x", "1 HOUR");
    claimed(2, "just-1-x", "1 HOUR");
    claimed(3, "absent-1-x", "10 MINUTE");
    claimed(4, "absent-1-x", "10 SECOND");
    List<Finding> findings =
        examine(database.dataSource(), SETTINGS).stream()
            .filter(finding -> finding.subject().equals("rescue"))
            .toList();
    assertThat(findings)
        .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.PROBLEM))
        .extracting(Finding::found)
        .satisfiesExactlyInAnyOrder(
            one ->
                assertThat(one)
                    .startsWith(
                        "message 1 of topic 'order' is still claimed by long-1-x, which has been"
                            + " dead or without a lease for 10 min"),
            three -> assertThat(three).startsWith("message 3 of topic 'order' "));
  }

  /** As where the only worker has crashed, and no other declares it dead. */
  @Test
  void examine_withMessagesOfAWorkerWhoseLeaseIsOver_tellsOfThem() throws SQLException {
    dead("long-1-x", "10 MINUTE");
    dead("just-1-x", "10 SECOND");
    database.execute("UPDATE queue_worker SET is_alive = 1, updated_at = UTC_TIMESTAMP(6)");
    claimed(1, "just-1-x", "1 HOUR");
    assertThat(find("rescue"))
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
        .satisfies(finding -> assertThat(finding.found()).endsWith("more than 2 min; 1 for less"));
    claimed(2, "long-1-x", "1 HOUR");
    assertThat(find("rescue"))
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.PROBLEM))
        .satisfies(finding -> assertThat(finding.found()).startsWith("message 2 of topic"));
  }

  /** Its connections are those of a pool, which has its own settings. */
  @Test
  void examine_overConnectionsOfAnApplication_speaksOfTheServer_andRestoresThem()
      throws SQLException {
    HikariConfig config = new HikariConfig();
    config.setDataSource(
        with(
            "SET SESSION time_zone = '-03:00'",
            database.isMariaDb()
                ? "SET SESSION sql_mode = 'EMPTY_STRING_IS_NULL,STRICT_ALL_TABLES'"
                : "SET SESSION information_schema_stats_expiry = 77"));
    config.setMaximumPoolSize(2);
    config.setMinimumIdle(2);
    try (HikariDataSource pool = new HikariDataSource(config);
        TestWorker worker = worker()) {
      List<String> before = settings(pool);
      DataSource borrowed =
          new BorrowedConnections(2).of(pool, Purpose.READS, Duration.ofSeconds(30));
      assertThat(examine(borrowed, SETTINGS))
          .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
          .anySatisfy(finding -> assertThat(finding.found()).startsWith("REPEATABLE-READ for new"));
      assertThat(settings(pool)).isEqualTo(before);
    }
  }

  /** Of both its connections. */
  private static List<String> settings(DataSource pool) throws SQLException {
    List<String> settings = new ArrayList<>();
    try (Connection one = pool.getConnection();
        Connection other = pool.getConnection()) {
      for (Connection each : List.of(one, other)) {
        try (ResultSet row =
            each.createStatement()
                .executeQuery(
                    "SHOW SESSION VARIABLES WHERE Variable_name NOT IN ('timestamp',"
                        + " 'pseudo_thread_id', 'rand_seed1', 'rand_seed2', 'error_count',"
                        + " 'warning_count', 'statement_id', 'innodb_thread_sleep_delay',"
                        + " 'in_transaction') AND Variable_name NOT LIKE '%gtid%'")) {
          while (row.next()) {
            settings.add(row.getString(1) + " = " + row.getString(2));
          }
        }
      }
    }
    return settings.stream().sorted().toList();
  }

  @Test
  void examine_withTopicsThatNobodyHas_namesThem() throws SQLException {
    try (TestWorker worker = worker()) {
      database.execute(
          "INSERT INTO queue_message (topic, payload) VALUES ('lost', '1')",
          "INSERT INTO queue_publication_lock (source, version) VALUES ('news', 0)",
          "INSERT INTO queue_subscription (source, topic) VALUES ('news', 'letters')",
          "INSERT INTO queue_schedule (name, topic, every_micros, payload, next_at)"
              + " VALUES ('s', 'nightly', 1000000, '1', UTC_TIMESTAMP(6) + INTERVAL 1 DAY)");
      assertThat(found()).containsExactlyInAnyOrder("topics", "subscriptions", "schedules");
    }
  }

  @Test
  void examine_withWorkersThatClaimNothing_saysSo() throws SQLException {
    for (String name : List.of("paused", "draining", "running")) {
      database.execute(
          "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
              + " started_at, updated_at) VALUES ('%1$s', 'h', 1, 1, UTC_TIMESTAMP(6) + INTERVAL 1"
                  .formatted(name)
              + " HOUR, 'v', '%1$s', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))".formatted(name),
          "INSERT INTO queue_message (topic, payload) VALUES ('%s', '1')".formatted(name));
    }
    database.execute(
        "UPDATE queue_worker SET paused = 1 WHERE lock_id = 'paused'",
        "UPDATE queue_worker SET draining = 1, paused = 1 WHERE lock_id = 'draining'");
    assertThat(examine(database.dataSource(), SETTINGS))
        .filteredOn(finding -> finding.severity().compareTo(Severity.WARNING) >= 0)
        .extracting(Finding::found)
        .containsExactly(
            "1 of 3 live workers are draining: they claim nothing",
            "1 of 3 live workers are paused: they claim nothing",
            "messages of topic 'draining' are waiting, and no live worker handles it but those that"
                + " are paused or draining",
            "messages of topic 'paused' are waiting, and no live worker handles it but those that"
                + " are paused or draining");
  }

  @Test
  void examine_withAMessageThatWaits_saysForHowLong() throws SQLException {
    database.execute(
        "INSERT INTO queue_message (topic, payload, created_at, due_at)"
            + " VALUES ('order', '1', UTC_TIMESTAMP(6) - INTERVAL 1 HOUR,"
            + " UTC_TIMESTAMP(6) - INTERVAL 1 HOUR)");
    assertThat(found()).containsExactlyInAnyOrder("workers", "oldest");
  }

  @Test
  void examine_behindAClockThatWasSetBack_saysWhatMendsTheTimes() throws SQLException {
    insertWaiting(1, "UTC_TIMESTAMP(6) + INTERVAL 2 HOUR");
    Finding times = find("times");
    assertThat(times.found()).startsWith("waiting messages with a timestamp in the future: 1");
    String advice = times.advice();
    database.execute(advice.substring(advice.indexOf("UPDATE"), advice.indexOf(';')));
    assertThat(find("times").severity()).isEqualTo(Severity.OK);
    assertThat(
            database.count(
                "SELECT TIMESTAMPDIFF(MINUTE, UTC_TIMESTAMP(6), due_at) FROM queue_message"))
        .as("still the minute that it was to wait")
        .isBetween(0L, 1L);
  }

  @Test
  void examine_withAMessageThatIsReleasedAgainAndAgain_namesIt() throws SQLException {
    insertWaiting(22, "UTC_TIMESTAMP(6)");
    assertThat(find("claims").found())
        .startsWith("1 released 20 or more times")
        .endsWith("of 'order', 20 times");
  }

  private Finding find(String subject) throws SQLException {
    return examine(database.dataSource(), SETTINGS).stream()
        .filter(finding -> finding.subject().equals(subject))
        .findFirst()
        .orElseThrow();
  }

  private void insertWaiting(int claims, String written) {
    database.execute(
        "INSERT INTO queue_message (topic, payload, state, claim_number, attempts, due_at,"
            + " updated_at)"
            + " SELECT 'order', '{}', 2, %d, 2, written + INTERVAL 1 MINUTE, written"
                .formatted(claims)
            + " FROM (SELECT %s AS written) AS clock".formatted(written));
  }

  @Test
  void examine_withABatchThatNobodySeals_namesIt() throws SQLException {
    database.execute(batch(1, 0, 25, "NULL"), batch(2, 0, 23, "NULL"), batch(3, 1, 25, "NULL"));
    database.execute(batch(4, 0, 25, "UTC_TIMESTAMP(6)"));
    try {
      assertThat(examine(database.dataSource(), SETTINGS))
          .filteredOn(finding -> finding.subject().equals("batches"))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.found()).startsWith("batch 1 was opened 25 h ago");
                assertThat(finding.advice()).contains("queue-worker batches close 1");
              });
    } finally {
      database.execute("DELETE FROM queue_batch");
    }
  }

  private static String batch(int id, int sealed, int hours, String completed) {
    return "INSERT INTO queue_batch (id, closed, shards, open_shards, created_at, completed_at)"
        + " VALUES (%d, %d, 1, 1, UTC_TIMESTAMP(6) - INTERVAL %d HOUR, %s)"
            .formatted(id, sealed, hours, completed);
  }

  /** Of the whole schema, so that no statement on a table tells of them. */
  @Test
  void examine_asAMigrator_doesNotSayThatItHasItsPrivileges() throws SQLException {
    assertThat(examine(database.dataSource(), SETTINGS.withRole(Role.MIGRATOR)))
        .filteredOn(finding -> finding.subject().equals("privileges"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.UNKNOWN))
        .satisfies(finding -> assertThat(finding.found()).contains("CREATE on *, ALTER on *"));
  }

  /** What a plain look at the tables would miss where a backslash escapes nothing. */
  @Test
  void examine_withoutBackslashes_seesTablesOfAnotherEngine() throws SQLException {
    database.execute("ALTER TABLE queue_counter ENGINE = MyISAM");
    try {
      assertThat(wrong(examine(with("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES'"), SETTINGS)))
          .contains("schema");
    } finally {
      database.execute("ALTER TABLE queue_counter ENGINE = InnoDB");
    }
  }

  @Test
  void examine_withoutTheClaimKey_saysHowToMakeIt() throws SQLException {
    database.execute("ALTER TABLE queue_message RENAME INDEX queue_message_claim TO other");
    try {
      assertThat(found()).contains("query-plan");
      database.execute("CREATE INDEX queue_message_claim ON queue_message (topic, lost_claims)");
      assertThat(found()).contains("query-plan");
      database.execute("DROP INDEX queue_message_claim ON queue_message");
    } finally {
      database.execute("ALTER TABLE queue_message RENAME INDEX other TO queue_message_claim");
    }
    assertThat(found()).doesNotContain("query-plan");
  }

  @Test
  void examine_withATransactionThatStaysOpen_namesItsConnection() throws SQLException {
    try (Connection open = database.connect()) {
      open.setAutoCommit(false);
      open.createStatement().execute("INSERT INTO queue_counter (name, slot) VALUES ('doctor', 0)");
      Instant begun = database.now();
      // InnoDB makes its list anew only when nobody has read it for a tenth of a second.
      Await.that("it is a second old", SOON, () -> database.now().isAfter(begun.plusSeconds(2)));
      DoctorSettings impatient = SETTINGS.withLongTransaction(Duration.ZERO);
      assertThat(wrong(examine(database.dataSource(), impatient))).contains("transactions");
      open.rollback();
    }
  }

  @Test
  void examine_withAPreparedTransactionOfNoConnection_saysWhereItIsSeen() throws SQLException {
    try (Connection open = database.connect()) {
      for (String each :
          List.of(
              "XA START 'doctor'",
              "INSERT INTO queue_counter (name, slot) VALUES ('prepared', 0)",
              "XA END 'doctor'",
              "XA PREPARE 'doctor'")) {
        open.createStatement().execute(each);
      }
    }
    try {
      DoctorSettings impatient = SETTINGS.withLongTransaction(Duration.ZERO);
      Await.until(
          "the doctor tells of it",
          SOON,
          () -> String.valueOf(examine(database.dataSource(), impatient)),
          findings -> findings.contains("XA RECOVER"));
    } finally {
      database.execute("XA ROLLBACK 'doctor'");
    }
  }

  /** What a handler or a settlement rolls back would stay. */
  @Test
  void examine_withATableOfAnotherEngine_namesItAndNothingRuns() throws SQLException {
    database.execute("ALTER TABLE queue_counter ENGINE = MyISAM");
    try {
      assertThat(find("schema").found()).contains("queue_counter (MyISAM)");
      assertThatThrownBy(this::worker).hasStackTraceContaining("queue_counter (MyISAM)");
    } finally {
      database.execute("ALTER TABLE queue_counter ENGINE = InnoDB");
    }
  }

  @Test
  void examine_withSettingsThatTheServerDoesNotBear_namesThem() throws SQLException {
    DoctorSettings large =
        SETTINGS
            .withThreads(1_000)
            .withLimits(MessageLimits.defaults().withPayloadBytes(Integer.MAX_VALUE - 16));
    assertThat(wrong(examine(database.dataSource(), large)))
        .containsExactlyInAnyOrder("workers", "max-packet", "connections");
  }

  @Test
  void examine_withSessionsOfAnotherTime_saysSo() throws SQLException {
    assertThat(wrong(examine(with("SET timestamp = 1700000000.5"), SETTINGS)))
        .contains("clock")
        .doesNotContain("time-zone", "schema");
  }

  private DataSource with(String... settings) {
    return new FreshConnections(
        () -> {
          Connection connection = database.connect();
          for (String setting : settings) {
            connection.createStatement().execute(setting);
          }
          return connection;
        });
  }

  @Test
  void examine_behindWhatSpreadsStatements_saysSo() throws SQLException {
    assertThat(examine(new FreshConnections(this::spread), SETTINGS))
        .filteredOn(finding -> finding.subject().equals("connection"))
        .singleElement()
        .satisfies(finding -> assertThat(finding.found()).contains("several sessions"));
  }

  /** One connection to look at, two in truth, which have the statements by turns. */
  private Connection spread() {
    Connection[] both = {database.connect(), database.connect()};
    int[] turn = {0};
    return OddConnections.of(
        (method, arguments) ->
            switch (method.getName()) {
              case "close" -> {
                both[1].close();
                yield method.invoke(both[0], arguments);
              }
              case "setAutoCommit" -> {
                method.invoke(both[1], arguments);
                yield method.invoke(both[0], arguments);
              }
              default -> method.invoke(both[turn[0]++ % 2], arguments);
            });
  }

  /** As of what answers for itself: it says yes, and the server knows of no lock. */
  @Test
  void examine_behindWhatKeepsNoLocks_saysSo() throws SQLException {
    DataSource lockless =
        OddConnections.rewriting(
            database, sql -> sql.startsWith("SELECT GET_LOCK(") ? "SELECT LENGTH(?) > 0" : sql);
    assertThat(examine(lockless, SETTINGS))
        .filteredOn(finding -> finding.subject().equals("connection"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.WARNING);
              assertThat(finding.found()).isEqualTo("a lock of GET_LOCK is not held");
              assertThat(finding.advice()).contains("when its lease expires");
            });
  }

  /** As a driver would that takes what it reads for a time of its own zone. */
  @Test
  void examine_behindWhatShiftsTimes_saysByHowMuch() throws SQLException {
    DataSource shifting =
        OddConnections.rewriting(
            database,
            sql ->
                sql.contains("UNIX_TIMESTAMP(")
                    ? sql.replace("UTC_TIMESTAMP(6)", "UTC_TIMESTAMP(6) + INTERVAL 9 HOUR")
                    : sql);
    assertThat(examine(shifting, SETTINGS))
        .filteredOn(finding -> finding.subject().equals("time-zone"))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.PROBLEM);
              assertThat(finding.found()).startsWith("UTC is read with an offset of 9 h");
            });
  }
}
