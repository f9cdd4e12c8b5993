package io.rowqueue.worker.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.enqueue.OddConnections;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerPools;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether the doctor sees that a server admits fewer connections than its workers want. */
@QueueTest
class DoctorConnectionsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  /** Where nobody has said how many threads a worker has. */
  private static final DoctorSettings UNSAID =
      DoctorSettings.defaults().withLongTransaction(Duration.ofHours(1));

  private final QueueDatabase database;

  DoctorConnectionsIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void forgetWorkers() {
    database.execute("DELETE FROM queue_worker");
  }

  /** Of four threads. */
  private TestWorker worker() {
    return TestWorker.start(database, Handlers.bind("order", (order, context) -> {}));
  }

  /** Goal: what running workers hold decides, not what a worker has by default. */
  @Test
  void examine_withWorkersThatRun_judgesByWhatTheyHold() throws SQLException {
    int held = WorkerPools.most(4);
    try (TestWorker worker = worker()) {
      Finding fits =
          Await.until(
              "its pools are full",
              SOON,
              () -> connections(database.dataSource(), UNSAID).get(0),
              finding -> finding.found().startsWith("workers: 1 alive hold %d ".formatted(held)));
      assertThat(fits.severity()).isEqualTo(Severity.OK);
      assertThat(fits.found()).contains("by the server's list of sessions");
      assertThat(connections(admitting(held), UNSAID))
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.WARNING);
                assertThat(finding.found()).endsWith("and the server admits " + held);
                assertThat(finding.advice()).startsWith("raise max_connections");
              });
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
                            + " connections, and the server admits 1000");
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
                          + " server admits 36");
            });
    assertThat(connections(admitting(35), UNSAID))
        .singleElement()
        .satisfies(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
  }

  /** As of a worker that writes no listener down: nobody knows from where it comes. */
  @Test
  void examine_withAWorkerWhoseSessionsAreNotSeen_judgesByTheDefault() throws SQLException {
    try (TestWorker worker = worker()) {
      database.execute(
          "INSERT INTO queue_worker (lock_id, host, pid, alive, lease_until, version, topics,"
              + " started_at, updated_at) VALUES ('far-1-x', 'far', 1, 1, UTC_TIMESTAMP(6) +"
              + " INTERVAL 1 HOUR, 'v', 'order', UTC_TIMESTAMP(6), UTC_TIMESTAMP(6))");
      assertThat(connections(admitting(500), UNSAID))
          .singleElement()
          .satisfies(
              finding ->
                  assertThat(finding.found())
                      .startsWith("workers: 2 with 16 threads, the default, need up to 72 "));
    }
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
            sql.startsWith("SHOW SESSION VARIABLES")
                ? "SELECT 'max_connections', '" + most + "'"
                : sql);
  }
}
