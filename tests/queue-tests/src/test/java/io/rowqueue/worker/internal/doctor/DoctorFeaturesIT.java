package io.rowqueue.worker.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.internal.enqueue.OddConnections;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.wakeup.WakeupIT;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.maintain.SchedulePoller;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@QueueTest
class DoctorFeaturesIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Where nobody has said how many threads a worker has. */
  private static final DoctorSettings UNSAID =
      DoctorSettings.defaults().withLongTransaction(Duration.ofHours(1));

  /** When it fires does not matter here, as long as it does not. */
  private static final Module DECLARED =
      binder ->
          ScheduleBinder.bind(
              binder,
              Schedule.every("declared", Duration.ofDays(30))
                  .enqueues(NewMessage.of("order", "1")));

  private final QueueDatabase database;

  DoctorFeaturesIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void forget() {
    database.execute(
        "DELETE FROM queue_worker",
        "DELETE FROM queue_result_listener",
        "DELETE FROM queue_message",
        "DELETE FROM queue_schedule");
  }

  private TestWorker worker() {
    return TestWorker.start(database, Handlers.bind("order", (order, context) -> {}));
  }

  /** Both what running workers hold and what they may need. */
  @Test
  void examine_withWorkersThatRun_judgesByWhatTheyHoldAndMayNeed() throws SQLException {
    try (TestWorker worker = worker()) {
      List<Finding> fits =
          Await.until(
              "its listener is seen",
              SOON,
              () -> connections(database.dataSource(), UNSAID),
              findings -> findings.size() == 2);
      assertThat(fits).allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
      assertThat(fits.get(0).found())
          .startsWith("workers: 1 alive hold ")
          .contains("by the server's list of sessions");
      assertThat(connections(admitting(2), UNSAID))
          .hasSize(2)
          .allSatisfy(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.advice()).startsWith("raise max_connections");
              })
          .first()
          .satisfies(
              finding -> assertThat(finding.found()).endsWith("in total, max_connections is 2"));
    }
  }

  /** Goal: who wants to know whether more threads would fit is told that, too. */
  @Test
  void examine_withThreadsThatSomebodySays_judgesByThemToo() throws SQLException {
    try (TestWorker worker = worker()) {
      List<Finding> both =
          Await.until(
              "its listener is seen",
              SOON,
              () -> connections(admitting(1_000), UNSAID.withThreads(1_000)),
              findings -> findings.size() == 2);
      assertThat(both)
          .anySatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK))
          .anySatisfy(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.found())
                    .isEqualTo(
                        "workers: 1 with 1000 threads, as --threads says, need up to 1512"
                            + " connections, and the server allows 1000");
              });
    }
  }

  @Test
  void examine_withoutARunningWorker_judgesByTheDefaultAndSaysSo() throws SQLException {
    assertThat(connections(admitting(36), UNSAID))
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.severity()).isEqualTo(Severity.OK);
              assertThat(finding.found())
                  .isEqualTo(
                      "workers: 1 with 16 threads, the default, need up to 36 connections, and the"
                          + " server allows 36");
            });
    assertThat(connections(admitting(35), UNSAID))
        .singleElement()
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
  }

  /** Workers that register no listener: their server is unknown. */
  @Test
  void examine_withWorkersWhoseSessionsAreNotSeen_judgesByTheirThreads() throws SQLException {
    foreignWorker("far-1-x");
    foreignWorker("far-2-x");
    assertThat(connections(admitting(500), UNSAID))
        .singleElement()
        .extracting(Finding::found)
        .asString()
        .startsWith("workers: 2 with 16 threads, the default, need up to 72 ");
    database.execute(
        "UPDATE queue_worker SET threads = 200, busy_threads = 0, handled = 0, memory_used = 0,"
            + " memory_max = 0 WHERE lock_id = 'far-1-x'");
    assertThat(connections(admitting(347), UNSAID))
        .singleElement()
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
        .satisfies(
            finding ->
                assertThat(finding.found())
                    .isEqualTo(
                        "workers: 2 with 216 threads in total need up to 348 connections, and the"
                            + " server allows 347"));
  }

  private void foreignWorker(String lockId) {
    database.execute(
        "INSERT INTO queue_worker (lock_id, host, pid, is_alive, lease_until, version, topics,"
            + " started_at, updated_at) VALUES ('%s', 'far', 1, 1, UTC_TIMESTAMP(6) +"
                .formatted(lockId)
            + " INTERVAL 1 HOUR, 'v', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
  }

  private List<Finding> connections(DataSource dataSource, DoctorSettings settings) {
    try {
      return Doctor.of(dataSource, settings).examine().stream()
          .filter(finding -> finding.subject().equals("connections"))
          .toList();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** A server that has set no more than how many connections it admits. */
  private DataSource admitting(int most) {
    return OddConnections.rewriting(
        database,
        sql ->
            sql.startsWith("SHOW GLOBAL VARIABLES")
                ? "SELECT 'max_connections', '" + most + "'"
                : sql);
  }

  /** One whose listener sleeps, so that the server shows its session. */
  private TestWorker listeningWorker() {
    TestWorker worker = TestWorker.start(database, Handlers.bind("order", (order, context) -> {}));
    WakeupIT.awaitAsleep(database, 1);
    return worker;
  }

  private Finding results() {
    return results(database.dataSource());
  }

  private static Finding results(DataSource dataSource) {
    try {
      return Doctor.of(dataSource, DoctorSettings.defaults()).examine().stream()
          .filter(finding -> finding.subject().equals("results"))
          .reduce(
              (one, other) -> {
                throw new AssertionError(one + ", " + other);
              })
          .orElseThrow();
    } catch (SQLException e) {
      throw new AssertionError(e);
    }
  }

  /** Of a message that is not due while this runs. */
  private void await(Results results) {
    MessageId id =
        MessageProducer.create()
            .enqueue(
                database.dataSource(),
                NewMessage.of("order", new Order(1)).withDelay(Duration.ofHours(1)));
    assertThat(results.awaiting(id, Order.class)).isNotDone();
    Await.that(
        "it is known to workers",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_result_listener") == 1);
  }

  private void waiter(String server, long connection, int leaseSeconds) {
    database.execute(
        "INSERT INTO queue_result_listener (listener, listener_connection, server_identity,"
            + " lease_until)"
            + " VALUES (UUID(), %d, %s, UTC_TIMESTAMP(6) + INTERVAL %d SECOND)"
                .formatted(connection, server, leaseSeconds));
  }

  private String here() {
    return database.isMariaDb() ? "CONCAT(@@hostname, ':', @@port)" : "@@server_uuid";
  }

  @Test
  void examine_withAWaiterThatCanBeWoken_findsNothing() {
    try (TestWorker worker = listeningWorker();
        Results results = Results.over(database.dataSource())) {
      assertThat(results().found()).isEqualTo("no session awaits a result");
      await(results);
      // One that has ended, and whose row is not pruned yet.
      waiter(here(), 999_999_999, 20);
      Finding found =
          Await.until(
              "its sleep is seen",
              SOON,
              this::results,
              finding ->
                  finding
                      .found()
                      .equals("workers can notify all sessions that await results, 1 in total"));
      assertThat(found.severity()).isEqualTo(Severity.OK);
    }
  }

  @Test
  void examine_withAWaiterThatIsNotSeen_saysThatItFindsResultsLate() {
    try (TestWorker worker = listeningWorker()) {
      waiter(here(), 999_999_999, 3_600);
      Finding found = results();
      assertThat(found.severity()).isEqualTo(Severity.WARNING);
      assertThat(found.found())
          .startsWith("1 of 1 sessions that await results wait on connections that this account");
      assertThat(found.advice()).contains("`queue-worker grants notifier`");
    }
  }

  @Test
  void examine_withAWaiterOnAnotherServer_saysSo() {
    try (TestWorker worker = listeningWorker()) {
      waiter("'elsewhere:3306'", 5, 3_600);
      Finding found = results();
      assertThat(found.severity()).isEqualTo(Severity.WARNING);
      assertThat(found.found()).contains("wait on a server that no worker is connected to");
    }
  }

  @Test
  void examine_withoutAWorker_knowsNothing() {
    waiter(here(), 999_999_999, 3_600);
    assertThat(results().found())
        .isEqualTo("no worker is alive to notify the sessions that await results");
  }

  /** An account with PROCESS sees the session, and not whether workers may end its sleep. */
  @Test
  void examine_withAWaiterOfAnotherAccount_saysWhatThatTakes() {
    String user = "w" + database.name().substring(0, 12);
    database.execute(
        "CREATE USER '%s'@'%%' IDENTIFIED BY 'p'".formatted(user),
        "GRANT SELECT, INSERT, UPDATE ON %s.* TO '%s'@'%%'".formatted(database.name(), user));
    MysqlDataSource other = new MysqlDataSource();
    other.setURL(database.url().replaceFirst("\\?.*", "?user=" + user + "&password=p"));
    try (TestWorker worker = listeningWorker();
        Results results = Results.over(other)) {
      await(results);
      Finding found =
          Await.until(
              "both are seen",
              SOON,
              this::results,
              finding -> finding.found().contains("wait with an account other than the workers'"));
      assertThat(found.severity()).isEqualTo(Severity.UNKNOWN);
      Finding blind =
          Await.until(
              "the waiter is seen",
              SOON,
              () -> results(other),
              finding ->
                  finding.found().equals("this account cannot see the workers' connections"));
      assertThat(blind.severity()).isEqualTo(Severity.UNKNOWN);
    } finally {
      database.execute("DROP USER '%s'@'%%'".formatted(user));
    }
  }

  private TestWorker workerOf(Module... more) {
    return TestWorker.start(
        database,
        config -> config,
        Handlers.bind("order", (order, context) -> {}),
        binder -> List.of(more).forEach(binder::install));
  }

  private List<Finding> findings() throws SQLException {
    return Doctor.of(database.dataSource(), DoctorSettings.defaults()).examine().stream()
        .filter(finding -> finding.subject().equals("schedules"))
        .toList();
  }

  private void schedule(String name, String clock, String next, String last) {
    database.execute(
        "INSERT INTO queue_schedule (name, topic, payload, %s, next_at, last_at) VALUES ('%s',"
                .formatted(clock.substring(0, clock.indexOf(' ')), name.replace("'", "''"))
            + " 'order', '1', %s, UTC_TIMESTAMP(6) + INTERVAL %s, %s)"
                .formatted(clock.substring(clock.indexOf(' ') + 1), next, last));
  }

  @Test
  void examine_ofSchedulesThatStandAsTheirClocksSay_findsNothing() throws SQLException {
    String once = "UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE";
    schedule("rate", "every_micros 3600000000", "3600 SECOND", once);
    schedule("cron", "cron '@monthly'", "1 MINUTE", once);
    // Nobody can tell it from one that is wanted to start then.
    schedule("starts-later", "every_micros 3600000000", "30 DAY", "NULL");
    schedule("unreadable", "cron 'every day'", "30 DAY", once);
    schedule("paused", "every_micros 3600000000", "30 DAY", once);
    database.execute("UPDATE queue_schedule SET paused = 1 WHERE name = 'paused'");
    try (TestWorker worker = workerOf(DECLARED)) {
      assertThat(findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.OK);
                assertThat(finding.found()).startsWith("live workers handle each topic checked");
              });
    }
  }

  @Test
  void examine_ofSchedulesThatAreFurtherAhead_namesThemAndHowToReckonThemAnew()
      throws SQLException {
    String once = "UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE";
    schedule("it's-hourly", "every_micros 3600000000", "2 HOUR", once);
    schedule("monthly", "cron '@monthly'", "32 DAY", once);
    try (TestWorker worker = workerOf()) {
      List<Finding> found = findings();
      assertThat(found)
          .hasSize(2)
          .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
      assertThat(found.get(0).found())
          .startsWith("schedule 'it's-hourly' next runs at ")
          .contains("; its rate gives ");
      assertThat(found.get(1).found()).contains("; its expression gives ");
      for (Finding finding : found) {
        String advice = finding.advice();
        database.execute(advice.substring(advice.indexOf('`') + 1, advice.lastIndexOf('`')));
      }
      Orders.awaitCount(
          database, "SELECT COUNT(*) FROM queue_schedule WHERE next_at < '1971-01-01'", 0);
      assertThat(findings())
          .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.OK));
    }
  }

  @Test
  void examine_ofSchedulesThatAreDue_namesThoseAndWhy() throws SQLException {
    schedule("late", "every_micros 3600000000", "-2 MINUTE", "NULL");
    schedule("just-due", "every_micros 3600000000", "-5 SECOND", "NULL");
    schedule("not-computed", "every_micros 3600000000", "-2 MINUTE", "NULL");
    schedule("unreadable", "cron 'every day'", "-2 MINUTE", "NULL");
    schedule("paused", "every_micros 3600000000", "-2 MINUTE", "NULL");
    database.execute(
        "UPDATE queue_schedule SET paused = 1 WHERE name = 'paused'",
        "UPDATE queue_schedule SET next_at = '1970-01-01' WHERE name = 'not-computed'");
    assertThat(findings())
        .as("without a worker")
        .singleElement()
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.UNKNOWN));
    foreignWorker("far-1-x");
    assertThat(findings())
        .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING))
        .extracting(Finding::found)
        .satisfiesExactly(
            late ->
                assertThat(late)
                    .startsWith("schedule 'late' has been due since 20")
                    .endsWith("Z, and no worker runs it"),
            unreadable ->
                assertThat(unreadable)
                    .startsWith("schedule 'unreadable' has been due since 20")
                    .contains("no worker runs it: ", "every day"));
  }

  /** A worker that runs for days still has what it declared, and says so. */
  @Test
  void examine_ofASchedule_thatIsInNobodysCode_namesItUntilAWorkerSaysOtherwise()
      throws SQLException {
    try (TestWorker worker = workerOf(DECLARED)) {
      Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_schedule", 1);
      database.execute(
          "UPDATE queue_schedule SET declared_at = UTC_TIMESTAMP(6) - INTERVAL 23 HOUR");
      assertThat(findings().get(0).severity()).isEqualTo(Severity.OK);
      database.execute(
          "UPDATE queue_schedule SET declared_at = UTC_TIMESTAMP(6) - INTERVAL 25 HOUR");
      assertThat(findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.found())
                    .startsWith("schedule 'declared' runs, but no worker has declared it since 20");
                assertThat(finding.advice()).contains("`queue-worker schedules remove declared`");
              });
      worker.get(SchedulePoller.class).keepDeclared();
      assertThat(findings().get(0).severity()).isEqualTo(Severity.OK);
    }
  }
}
