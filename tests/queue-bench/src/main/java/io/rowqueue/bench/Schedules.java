package io.rowqueue.bench;

import com.google.inject.Guice;
import com.google.inject.Injector;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.bench.Bindings.Bare;
import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Enqueue.Commits;
import io.rowqueue.bench.Enqueue.Commits.HandlerInvoker;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Figures.Effort;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Meter.Mark;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.schedule.ScheduleTrigger;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.worker.Worker;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import io.rowqueue.worker.internal.WorkerPools;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Scheduled runs beside enqueues of one producer, and how late their handlers begin. */
final class Schedules {

  private static final int MANY = 1_000;
  private static final int SOME = 100;
  private static final Duration APART = Duration.ofMillis(100);

  private Schedules() {}

  static void run(Stage stage) throws Exception {
    ScheduleScene scene = new ScheduleScene(stage.database());
    int nextRuns = stage.scaled(MANY, 100);
    scene.set(nextRuns);
    MessageProducer producer = MessageProducer.create().notifying(WorkerNotifier.SILENT);
    Contender enqueued =
        Commits.of(
            "enqueued, a commit each",
            new HandlerInvoker(stage.database(), 1, 1),
            producer,
            number -> NewMessage.of(ScheduleScene.TOPIC, new Numbered(number)));
    stage.contest(
        "%,d schedules due at once".formatted(nextRuns),
        nextRuns,
        enqueued,
        new Fired(stage.database()));
    lateness(stage, scene);
  }

  private static void lateness(Stage stage, ScheduleScene scene) throws SQLException {
    Map<String, Figures> millis = new LinkedHashMap<>();
    int some = stage.scaled(SOME, 5);
    int many = stage.scaled(MANY, 50);
    millis.put("one every 100 ms", scene.lateness(some, APART));
    millis.put("%,d at once".formatted(many), scene.lateness(many, Duration.ZERO));
    stage.figures("ms from a firing's time to its handler", "millisLate", millis);
  }

  static final class Fired implements Contender {

    private final QueueDatabase database;
    private final Injector injector;

    Fired(QueueDatabase database) {
      this.database = database;
      this.injector =
          Guice.createInjector(
              Bindings.bind(ScheduleScene.TOPIC, (message, context) -> {}),
              new WorkerModule(WorkerConfig.defaults(database.config())));
    }

    @Override
    public String name() {
      return "fired";
    }

    @Override
    public Effort round(Meter meter, int messages) {
      ScheduleTrigger trigger = injector.getInstance(ScheduleTrigger.class);
      database.execute("UPDATE queue_schedule SET next_at = UTC_TIMESTAMP(6) - INTERVAL 1 SECOND");
      try {
        Mark from = meter.mark();
        int triggered = 0;
        while (triggered < messages) {
          int some = trigger.triggerDue();
          if (some == 0) {
            throw new IllegalStateException("%d of %d have fired".formatted(triggered, messages));
          }
          triggered += some;
        }
        return meter.since(from, messages);
      } finally {
        database.execute("DELETE FROM queue_message");
      }
    }

    @Override
    public void close() {
      injector.getInstance(WorkerPools.class).close();
    }
  }

  /** Schedules that fire once an hour unless they are made due, and a worker with the defaults. */
  static final class ScheduleScene {

    static final String TOPIC = "by-the-clock";

    private static final Duration LONGEST = Duration.ofMinutes(1);

    private final QueueDatabase database;

    /** From the time that a firing stands for to its handler, in ms. */
    private final Queue<Double> late = new ConcurrentLinkedQueue<>();

    ScheduleScene(QueueDatabase database) {
      this.database = database;
    }

    void set(int schedules) throws SQLException {
      database.execute("DELETE FROM queue_schedule");
      var all = QueueOperations.of(database.dataSource()).schedules();
      try (Connection connection = Bare.connect(database)) {
        for (int number = 0; number < schedules; number++) {
          all.set(
              connection,
              Schedule.every("schedule-%04d".formatted(number), Duration.ofHours(1))
                  .enqueues(NewMessage.of(TOPIC, new Numbered(number))));
        }
        connection.commit();
      }
    }

    /**
     * How late the handlers of {@code schedules} firings begin, in ms, whose times are {@code
     * apart} from each other, the first in two seconds. The clock of this host must be the
     * server's.
     */
    Figures lateness(int schedules, Duration apart) throws SQLException {
      set(schedules);
      late.clear();
      try (Worker worker = start()) {
        database.execute(
            "UPDATE queue_schedule JOIN (SELECT UTC_TIMESTAMP(6) + INTERVAL 2 SECOND AS begin) AS now SET next_at = begin + INTERVAL %d * CAST(RIGHT(name, 4) AS SIGNED) MICROSECOND"
                .formatted(TimeUnit.NANOSECONDS.toMicros(apart.toNanos())));
        Await.that("all are handled", LONGEST, () -> late.size() >= schedules);
      }
      return Figures.of(List.copyOf(late));
    }

    private Worker start() {
      return Bindings.start(database.url(), List.of(Bindings.bind(TOPIC, this::handle)));
    }

    private void handle(Numbered message, HandlerContext context) {
      Instant due =
          Instant.parse(Objects.requireNonNull(context.headers().get(Schedule.TIME_HEADER)));
      late.add(Duration.between(due, Instant.now()).toNanos() / 1e6);
    }
  }
}
