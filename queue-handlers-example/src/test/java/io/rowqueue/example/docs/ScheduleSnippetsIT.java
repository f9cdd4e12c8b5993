package io.rowqueue.example.docs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Guice;
import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.MessageHandler;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.handler.ScheduleBinder;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Schedules in code and at run time, as the documents show them. */
@QueueTest
class ScheduleSnippetsIT {

  record MakeReport(String kind) {}

  @Singleton
  static final class MakeReportHandler implements MessageHandler<MakeReport> {

    private final List<Instant> made = new CopyOnWriteArrayList<>();

    @Inject
    MakeReportHandler() {}

    @Override
    public void handle(MakeReport report, HandlerContext context) {
      String time = context.headers().get(Schedule.TIME_HEADER);
      made.add(Instant.parse(Objects.requireNonNull(time))); // when it was due, not when it came
    }
  }

  static final class ReportModule extends AbstractModule {

    @Override
    protected void configure() {
      // snippet: schedule-bind
      HandlerBinder.bind(binder(), "report.make", MakeReportHandler.class);
      ScheduleBinder.bind(
          binder(),
          Schedule.cron("report.daily", "30 6 * * MON-FRI", ZoneId.of("Europe/Berlin"))
              .enqueues(NewMessage.of("report.make", new MakeReport("daily")))
              .onMisfire(MisfirePolicy.ONCE));
      // end snippet
    }
  }

  @Test
  void schedule_declaredInAModule_isSetAtTheStartAndFires(QueueDatabase database) {
    var injector =
        Guice.createInjector(
            new WorkerModule(WorkerConfig.defaults(database.config())), new ReportModule());
    Worker worker = injector.getInstance(Worker.class);
    worker.start();
    try {
      database.execute("UPDATE queue_schedule SET next_at = '2026-01-02 05:30:00'");
      List<Instant> made = injector.getInstance(MakeReportHandler.class).made;
      Await.that("it fires", Duration.ofSeconds(20), () -> made.size() == 1);
      assertThat(made.get(0)).isAfterOrEqualTo("2026-01-02T05:30:00Z");
      assertThat(made.get(0).truncatedTo(ChronoUnit.MINUTES)).isEqualTo(made.get(0));
    } finally {
      worker.close();
    }
  }

  private static void addCustomer(Connection connection, int id) throws SQLException {
    try (Statement insert = connection.createStatement()) {
      insert.execute("INSERT INTO customer VALUES (" + id + ")");
    }
  }

  @Test
  void schedule_setInATransaction_isThereWithItsOwner(QueueDatabase database) throws SQLException {
    DataSource dataSource = database.dataSource();
    database.execute("CREATE TABLE IF NOT EXISTS customer (id INT PRIMARY KEY)");
    // snippet: schedule-set
    Schedules schedules = QueueOperations.of(dataSource).schedules(); // thread-safe; keep it
    try (Connection connection = dataSource.getConnection()) {
      connection.setAutoCommit(false);
      addCustomer(connection, 17);
      schedules.set(
          connection,
          Schedule.every("report.customer.17", Duration.ofHours(6))
              .enqueues(NewMessage.of("report.make", new MakeReport("17"))));
      connection.commit();
    }
    // end snippet
    List<Instant> next = schedules.next("report.customer.17", 3);
    schedules.pause("report.customer.17");
    assertThat(next).hasSize(3);
    assertThat(Duration.between(next.get(0), next.get(2))).isEqualTo(Duration.ofHours(12));
    assertThat(database.count("SELECT paused FROM queue_schedule")).isEqualTo(1);
    database.execute("DROP TABLE customer");
  }
}
