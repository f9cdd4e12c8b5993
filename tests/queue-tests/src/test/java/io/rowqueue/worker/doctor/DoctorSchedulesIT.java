package io.rowqueue.worker.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.message.NewMessage;
import io.rowqueue.order.Orders;
import io.rowqueue.schedule.Schedule;
import io.rowqueue.schedule.ScheduleBinder;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.maintain.ScheduleWatch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the doctor says of schedules, beside whether anybody has their topics. */
@QueueTest
class DoctorSchedulesIT {

  /** When it fires does not matter here, as long as it does not. */
  private static final Module DECLARED =
      binder ->
          ScheduleBinder.bind(
              binder,
              Schedule.every("declared", Duration.ofDays(30))
                  .enqueues(NewMessage.of("order", "1")));

  private final QueueDatabase database;

  DoctorSchedulesIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void heal() {
    database.execute("DELETE FROM queue_worker", "DELETE FROM queue_schedule");
  }

  private TestWorker worker(Module... more) {
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
    schedule("cron", "cron '@monthly'", "1 HOUR", once);
    // Nobody can tell it from one that is wanted to start then.
    schedule("starts-later", "every_micros 3600000000", "30 DAY", "NULL");
    schedule("unreadable", "cron 'every day'", "30 DAY", once);
    schedule("paused", "every_micros 3600000000", "30 DAY", once);
    database.execute("UPDATE queue_schedule SET paused = 1 WHERE name = 'paused'");
    try (TestWorker worker = worker(DECLARED)) {
      assertThat(findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.severity()).isEqualTo(Severity.OK);
                assertThat(finding.found()).isEqualTo("live workers have all of them");
              });
    }
  }

  @Test
  void examine_ofSchedulesThatAreFurtherAhead_namesThemAndHowToReckonThemAnew()
      throws SQLException {
    String once = "UTC_TIMESTAMP(6) - INTERVAL 1 MINUTE";
    schedule("it's-hourly", "every_micros 3600000000", "2 HOUR", once);
    schedule("monthly", "cron '@monthly'", "32 DAY", once);
    try (TestWorker worker = worker()) {
      List<Finding> found = findings();
      assertThat(found)
          .hasSize(2)
          .allSatisfy(finding -> assertThat(finding.severity()).isEqualTo(Severity.WARNING));
      assertThat(found.get(0).found())
          .startsWith("schedule 'it's-hourly' fires next at ")
          .contains("; by its rate it would at ");
      assertThat(found.get(1).found()).contains("; by its expression it would at ");
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

  /** A worker that runs for days still has what it declared, and says so. */
  @Test
  void examine_ofASchedule_thatIsInNobodysCode_namesItUntilAWorkerSaysOtherwise()
      throws SQLException {
    try (TestWorker worker = worker(DECLARED)) {
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
                    .startsWith(
                        "schedule 'declared' fires, and no worker has had it in its code since 20");
                assertThat(finding.advice()).contains("`queue-worker schedules remove declared`");
              });
      worker.get(ScheduleWatch.class).keepDeclared();
      assertThat(findings().get(0).severity()).isEqualTo(Severity.OK);
    }
  }
}
