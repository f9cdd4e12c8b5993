package io.rowqueue.worker.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.result.Results;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.wakeup.WakeupIT;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Whether the doctor sees that those who await results cannot be woken. */
@QueueTest
class DoctorResultsIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final QueueDatabase database;

  DoctorResultsIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void forget() {
    database.execute(
        "DELETE FROM queue_worker", "DELETE FROM queue_waiter", "DELETE FROM queue_message");
  }

  /** One whose listener sleeps, so that the server shows its session. */
  private TestWorker worker() {
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
        () -> database.count("SELECT COUNT(*) FROM queue_waiter") == 1);
  }

  /** A process that sleeps on that connection of that server. */
  private void waiter(String server, long connection, int leaseSeconds) {
    database.execute(
        "INSERT INTO queue_waiter (waiter, listener_connection, server_identity, lease_until)"
            + " VALUES (UUID(), %d, %s, UTC_TIMESTAMP(6) + INTERVAL %d SECOND)"
                .formatted(connection, server, leaseSeconds));
  }

  private String here() {
    return database.isMariaDb() ? "CONCAT(@@hostname, ':', @@port)" : "@@server_uuid";
  }

  @Test
  void examine_withAWaiterThatCanBeWoken_findsNothing() {
    try (TestWorker worker = worker();
        Results results = Results.over(database.dataSource())) {
      assertThat(results().found()).isEqualTo("nobody awaits any");
      await(results);
      // One that has ended, and whose row is not pruned yet.
      waiter(here(), 999_999_999, 20);
      Finding found =
          Await.until(
              "its sleep is seen",
              SOON,
              this::results,
              finding -> finding.found().equals("workers can wake all who await some, 1 of them"));
      assertThat(found.severity()).isEqualTo(Severity.OK);
    }
  }

  @Test
  void examine_withAWaiterThatIsNotSeen_saysThatItFindsResultsLate() {
    try (TestWorker worker = worker()) {
      waiter(here(), 999_999_999, 3_600);
      Finding found = results();
      assertThat(found.severity()).isEqualTo(Severity.WARNING);
      assertThat(found.found())
          .startsWith("1 of 1 who await results sleep on connections that this account");
      assertThat(found.advice()).contains("`queue-worker grants ring`");
    }
  }

  @Test
  void examine_withAWaiterOnAnotherServer_saysSo() {
    try (TestWorker worker = worker()) {
      waiter("'elsewhere:3306'", 5, 3_600);
      Finding found = results();
      assertThat(found.severity()).isEqualTo(Severity.WARNING);
      assertThat(found.found()).contains("sleep on a server that no worker is connected to");
    }
  }

  @Test
  void examine_withoutAWorker_knowsNothing() {
    waiter(here(), 999_999_999, 3_600);
    assertThat(results().found()).isEqualTo("no worker is alive to wake those who await");
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
    try (TestWorker worker = worker();
        Results results = Results.over(other)) {
      await(results);
      Finding found =
          Await.until(
              "both are seen",
              SOON,
              this::results,
              finding -> finding.found().contains("sleep with another account than the workers'"));
      assertThat(found.severity()).isEqualTo(Severity.UNKNOWN);
      Finding blind =
          Await.until(
              "the waiter is seen",
              SOON,
              () -> results(other),
              finding ->
                  finding.found().equals("this account does not see the workers' own connections"));
      assertThat(blind.severity()).isEqualTo(Severity.UNKNOWN);
    } finally {
      database.execute("DROP USER '%s'@'%%'".formatted(user));
    }
  }
}
