package io.rowqueue.internal.schedule;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.CreationException;
import com.google.inject.Module;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CapturedLog;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

@QueueTest
class ScheduleIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration HOUR = Duration.ofHours(1);
  private static final String MESSAGES = "SELECT COUNT(*) FROM queue_message";

  private final QueueDatabase database;
  private final Schedules schedules;

  /** The headers of what was handled, in the order of its handling. */
  private final List<Map<String, String>> handled = new CopyOnWriteArrayList<>();

  ScheduleIT(QueueDatabase database) {
    this.database = database;
    this.schedules = QueueOperations.of(database.dataSource()).schedules();
  }

  private TestWorker start(Module... modules) {
    return TestWorker.start(database, config -> config, with(modules));
  }

  /** One that fires only when it is told to. */
  private TestWorker parts(Module... modules) {
    return TestWorker.create(database, config -> config, with(modules));
  }

  private Module[] with(Module... modules) {
    Module[] all = Arrays.copyOf(modules, modules.length + 1);
    all[modules.length] =
        Handlers.bind("order", (order, context) -> handled.add(context.headers()));
    return all;
  }

  private static Module declaring(Schedule schedule) {
    return binder -> ScheduleBinder.bind(binder, schedule);
  }

  private static NewMessage order(int number) {
    return NewMessage.of("order", new Order(number));
  }

  private static Schedule hourly() {
    return Schedule.every("hourly", HOUR).enqueues(order(1));
  }

  private void due(int secondsAgo) {
    database.execute(
        "UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL %d SECOND"
            .formatted(secondsAgo));
  }

  private ScheduleDetails found(String name) {
    return schedules.find(name, 3).orElseThrow();
  }

  private Instant now() {
    return Instant.parse(
        database.strings("SELECT DATE_FORMAT(UTC_TIMESTAMP(6), '%Y-%m-%dT%H:%i:%s.%fZ')").get(0));
  }

  @Test
  void fire_twoWorkers_oneMessage() {
    schedules.set(Schedule.every("tick", Duration.ofSeconds(1)).enqueues(order(1)));
    try (TestWorker one = start();
        TestWorker two = start()) {
      Await.that("it has fired five times", SOON, () -> handled.size() >= 5);
      assertThat(one).isNotSameAs(two);
    }
    List<Instant> times =
        handled.stream().map(headers -> Instant.parse(headers.get(Schedule.TIME_HEADER))).toList();
    assertThat(times).doesNotHaveDuplicates();
    assertThat(handled).allMatch(headers -> "tick".equals(headers.get(Schedule.NAME_HEADER)));
    Instant first = Collections.min(times);
    assertThat(times)
        .allMatch(time -> Duration.between(first, time).toNanos() % 1_000_000_000 == 0);
  }

  @Test
  void worker_thatIsIdle_firesWhenItIsTimeAndTellsTheHandler() {
    try (TestWorker worker = start()) {
      schedules.set(hourly().startingAt(now().plusMillis(1_500)));
      Instant due = found("hourly").next().get(0);
      Await.that("it is handled", SOON, () -> handled.size() == 1);
      assertThat(now()).isBetween(due, due.plus(HOUR));
      assertThat(handled.get(0))
          .containsEntry(Schedule.NAME_HEADER, "hourly")
          .containsEntry(Schedule.TIME_HEADER, due.toString());
      ScheduleDetails after = found("hourly");
      assertThat(after.standing().lastAt()).isEqualTo(due);
      assertThat(after.next().get(0)).isEqualTo(due.plus(HOUR));
    }
  }

  /** It has no room for claims, so its claimer does not look. */
  @Test
  void worker_thatIsBusy_firesAllTheSame() {
    CountDownLatch end = new CountDownLatch(1);
    Module busy = Handlers.bind("busy", (order, context) -> end.await());
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(), Collections.nCopies(200, NewMessage.of("busy", new Order(1))));
    try (TestWorker worker = start(busy)) {
      Await.until(
          "it is busy",
          SOON,
          () -> database.count(MESSAGES + " WHERE state = 1"),
          claimed -> claimed >= 4);
      schedules.set(
          Schedule.every("tick", Duration.ofSeconds(1))
              .enqueues(NewMessage.of("elsewhere", new Order(2))));
      Await.until(
          "it has fired",
          SOON,
          () -> database.count(MESSAGES + " WHERE topic = 'elsewhere'"),
          triggered -> triggered > 0);
      end.countDown();
    }
  }

  @Test
  void set_changedInCode_isTakenAndPauseStays() {
    start(declaring(hourly())).close();
    assertThat(schedules.pause("hourly")).isTrue();
    Instant next = found("hourly").next().get(0);
    start(declaring(hourly().enqueues(order(2)))).close();

    assertThat(found("hourly").next().get(0)).as("its clock is the same").isEqualTo(next);
    assertThat(database.strings("SELECT payload FROM queue_schedule"))
        .containsExactly("{\"number\":2}");

    Schedule daily =
        Schedule.cron("hourly", "30 6 * * *", ZoneId.of("Europe/Berlin")).enqueues(order(3));
    try (CapturedLog log = CapturedLog.of("io.rowqueue.internal.schedule")) {
      start(declaring(daily)).close();
      assertThat(log.messages())
          .singleElement()
          .asString()
          .contains(
              "schedule hourly: PT1H, which code declared at ",
              " becomes Schedule[hourly, 30 6 * * * Europe/Berlin]");
    }
    ScheduleDetails changed = found("hourly");
    assertThat(changed.clock().cron()).isEqualTo("30 6 * * *");
    assertThat(changed.next().get(0).atZone(ZoneId.of("Europe/Berlin")).toLocalTime())
        .hasToString("06:30");
    assertThat(changed.standing().paused()).isTrue();
    assertThat(changed.standing().declaredAt()).isNotNull();
    assertThat(database.count(MESSAGES)).isZero();
  }

  /** Two versions that are deployed side by side declare it in turn, each time it is due later. */
  @Test
  void set_withAnotherIntervalAgainAndAgain_runsAllTheSame() {
    schedules.set(Schedule.every("sweep", Duration.ofMinutes(20)).enqueues(order(1)));
    Instant next = found("sweep").next().get(0);
    schedules.set(Schedule.every("sweep", Duration.ofMinutes(25)).enqueues(order(1)));
    assertThat(found("sweep").next().get(0)).isEqualTo(next);
    schedules.set(Schedule.every("sweep", Duration.ofMinutes(5)).enqueues(order(1)));
    assertThat(found("sweep").next().get(0)).as("the shorter one").isBefore(next);
    due(1);
    schedules.set(
        Schedule.cron("sweep", "30 6 * * *", ZoneId.of("Europe/Berlin")).enqueues(order(1)));
    try (TestWorker parts = parts()) {
      assertThat(parts.get(ScheduleTrigger.class).triggerDue()).as("what was due").isEqualTo(1);
      assertThat(parts.get(ScheduleTrigger.class).triggerDue()).isZero();
    }
    assertThat(database.count(MESSAGES)).isOne();
  }

  @Test
  void plainSqlRow_isReckonedAndFires() {
    try (TestWorker worker = start()) {
      database.execute(
          "INSERT INTO queue_schedule (name, topic, every_micros, payload)"
              + " VALUES ('tick', 'order', 1000000, '{\"number\":7}')",
          "INSERT INTO queue_schedule (name, topic, cron, zone, payload)"
              + " VALUES ('daily', 'order', '30 6 * * 1-5', 'Europe/Berlin', '{\"number\":8}')");
      Await.that("it fires", SOON, () -> handled.size() >= 2);
      assertThat(handled).allMatch(headers -> "tick".equals(headers.get(Schedule.NAME_HEADER)));
      assertThat(
              database.count(
                  "SELECT COUNT(*) FROM queue_schedule WHERE name = 'daily' AND last_at IS NULL"
                      + " AND next_at > UTC_TIMESTAMP(6)"))
          .isEqualTo(1);
    }
  }

  @EachIsolation
  void set_inTheCallersRollback_neverExisted(int isolation) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(false);
      schedules.set(connection, hourly());
      connection.rollback();
      assertThat(schedules.list(1)).isEmpty();

      schedules.set(connection, hourly());
      schedules.set(connection, hourly().enqueues(order(2)));
      connection.commit();
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> schedules.set(connection, hourly()))
          .isInstanceOf(IllegalStateException.class);
    }
    assertThat(database.strings("SELECT payload FROM queue_schedule"))
        .containsExactly("{\"number\":2}");
  }

  @Test
  void fire_concurrentWithRowsThatThisProcessCannotRead_firesTheOthers() {
    schedules.set(hourly());
    database.execute(
        "INSERT INTO queue_schedule (name, topic, cron, zone, payload)"
            + " VALUES ('mars', 'order', '0 0 * * *', 'Mars/Olympus', '{}'),"
            + " ('never', 'order', '0 0 30 2 *', 'UTC', '{}'),"
            + " ('odd', 'order', '0 0 * * *', 'UTC', '{}')",
        "UPDATE queue_schedule SET headers = '[1]' WHERE name = 'odd'");
    due(1);
    try (TestWorker parts = parts()) {
      ScheduleTrigger trigger = parts.get(ScheduleTrigger.class);
      assertThat(trigger.untilNext().orElseThrow()).isNegative();
      assertThat(trigger.triggerDue()).isEqualTo(1);
      assertThat(trigger.untilNext().orElseThrow()).as("without those").isPositive();
      assertThat(trigger.triggerDue()).isZero();
    }
    assertThat(database.count(MESSAGES)).isEqualTo(1);
    assertThat(schedules.list(1))
        .extracting(ScheduleDetails::name)
        .containsExactly("hourly", "mars", "never", "odd");
    assertThat(found("hourly").fault()).isNull();
    assertThat(found("mars").fault()).contains("does not know the time zone 'Mars/Olympus'");
    assertThat(found("never").fault()).contains("it matches no day in nine years");
    assertThat(found("odd").fault()).contains("the headers are not a flat JSON object");
    assertThatThrownBy(() -> schedules.next("mars", 1))
        .isInstanceOf(InvalidScheduleException.class);
    assertThatThrownBy(() -> schedules.next("venus", 1))
        .isInstanceOf(RefusedException.class)
        .hasMessage("there is no schedule 'venus'");
  }

  /** A trigger of the team's refuses it; the server's answer may change at any time. */
  @Test
  void fire_whoseInsertIsRefused_keepsNoOtherAndIsTriedAgain() {
    schedules.set(hourly());
    schedules.set(Schedule.every("refused", HOUR).enqueues(order(2).withPriority(7)));
    due(1);
    database.execute(
        "CREATE TRIGGER refuse_seven BEFORE INSERT ON queue_message FOR EACH ROW BEGIN IF"
            + " NEW.priority = 7 THEN SIGNAL SQLSTATE '45000' SET MESSAGE_TEXT = 'not today'; END"
            + " IF; END");
    try (TestWorker worker = start()) {
      Await.that("the other fires", SOON, () -> handled.size() == 1);
      assertThat(found("refused").standing().lastAt()).isNull();
      database.execute("DROP TRIGGER refuse_seven");
      Await.that("it fires, too", SOON, () -> handled.size() == 2);
    } finally {
      database.execute("DROP TRIGGER IF EXISTS refuse_seven");
    }
  }

  /** A cluster refuses a transaction that is too large with the code of an outage. */
  private void refuseAsTooLarge(String which) {
    database.execute(
        "CREATE TRIGGER too_large BEFORE INSERT ON queue_message FOR EACH ROW BEGIN IF "
            + which
            + " THEN SIGNAL SQLSTATE 'HY000' SET MYSQL_ERRNO = 3100, MESSAGE_TEXT = 'too large';"
            + " END IF; END");
  }

  @Test
  void fire_whoseTransactionIsTooLarge_keepsNoOther() {
    schedules.set(Schedule.every("a-large", HOUR).enqueues(order(2).withPriority(7)));
    due(2);
    schedules.set(hourly());
    database.execute(
        "UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND WHERE name ="
            + " 'hourly'");
    refuseAsTooLarge("NEW.priority = 7");
    try (TestWorker parts = parts()) {
      ScheduleTrigger trigger = parts.get(ScheduleTrigger.class);
      assertThat(trigger.triggerDue()).isOne();
      assertThat(found("hourly").standing().lastAt()).isNotNull();
      assertThat(found("a-large").standing().lastAt()).isNull();
    } finally {
      database.execute("DROP TRIGGER too_large");
    }
  }

  @Test
  void fire_ofMissedRunsThatAreTooLargeTogether_triesHalfOfThem() {
    schedules.set(
        Schedule.every("all", Duration.ofMinutes(1))
            .enqueues(order(1))
            .onMisfire(MisfirePolicy.ALL));
    due(60 * 39 + 30);
    refuseAsTooLarge("(SELECT COUNT(*) FROM queue_message) >= 25");
    try (TestWorker parts = parts()) {
      ScheduleTrigger trigger = parts.get(ScheduleTrigger.class);
      assertThatThrownBy(trigger::triggerDue).hasMessageContaining("too large");
      Await.that("half of them are enqueued", SOON, () -> trigger.triggerDue() == 1);
      assertThat(database.count(MESSAGES)).isEqualTo(20);
      database.execute("DELETE FROM queue_message");
      assertThat(trigger.triggerDue()).isOne();
      assertThat(database.count(MESSAGES)).isEqualTo(20);
    } finally {
      database.execute("DROP TRIGGER too_large");
    }
  }

  @Test
  void set_messageBeyondTheLimitsOnlyWithItsFiringsHeaders_isRefused() {
    Schedule schedule = Schedule.every("a".repeat(128), HOUR);
    NewMessage large = order(1).withHeader("a", "b".repeat((16 << 10) - 100));
    MessageProducer.create().enqueue(database.dataSource(), large);

    assertThatThrownBy(() -> schedules.set(schedule.enqueues(large)))
        .isInstanceOf(InvalidMessageException.class)
        .hasMessageContaining("over the limit of 16,384");
    assertThat(schedules.list(0)).isEmpty();
  }

  @Test
  void modules_thatDeclareOneNameTwice_areRefusedBeforeAnythingStarts() {
    Schedule other = Schedule.every("hourly", Duration.ofHours(2)).enqueues(order(2));

    assertThatThrownBy(() -> parts(declaring(hourly()), declaring(other)))
        .isInstanceOf(CreationException.class)
        .hasMessageContaining("hourly");
  }
}
