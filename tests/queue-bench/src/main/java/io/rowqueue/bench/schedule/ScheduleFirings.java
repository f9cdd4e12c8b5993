package io.rowqueue.bench.schedule;

import io.rowqueue.bench.Bindings.Numbered;
import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.enqueue.Commits;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Table;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.wakeup.Ring;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Firings beside enqueues of one producer, how late they are, and what waiting schedules cost. */
public final class ScheduleFirings implements Workload {

  private static final int MANY = 1_000;
  private static final int SOME = 100;
  private static final int IDLE_SECONDS = 12;
  private static final Duration APART = Duration.ofMillis(100);

  @Override
  public String name() {
    return "schedules";
  }

  @Override
  public String what() {
    return "a thousand schedules due at once, a second; their lateness; a worker beside idle ones";
  }

  @Override
  public void run(Stage stage) throws Exception {
    ScheduleScene scene = new ScheduleScene(stage.database());
    int firings = stage.scaled(MANY, 100);
    scene.set(firings);
    MessageProducer producer = MessageProducer.create().ringing(Ring.SILENT);
    Contender enqueued =
        Commits.of(
            "enqueued, a commit each",
            new Way(stage.database(), 1, 1),
            producer,
            number -> NewMessage.of(ScheduleScene.TOPIC, new Numbered(number)));
    new Contest(stage, "schedules", "%,d schedules due at once".formatted(firings), firings)
        .show(enqueued, List.of(enqueued, new Fired(stage.database())));
    lateness(stage, scene);
    idle(stage, scene);
  }

  private static void lateness(Stage stage, ScheduleScene scene) throws SQLException {
    Map<String, Figures> millis = new LinkedHashMap<>();
    int some = stage.scaled(SOME, 5);
    int many = stage.scaled(MANY, 50);
    millis.put("one every 100 ms", scene.lateness(some, APART));
    millis.put("%,d at once".formatted(many), scene.lateness(many, Duration.ZERO));
    stage.report().table(Table.of("ms from a firing's time to its handler", millis));
    millis.forEach(
        (what, each) ->
            stage.report().sample("schedules", Map.of("case", what, "millisLate", each.sorted())));
  }

  private static void idle(Stage stage, ScheduleScene scene) throws SQLException {
    Table table =
        new Table(
            "an idle worker, in a second", "schedules", "statements", "rows read", "server ms");
    int seconds = stage.scaled(IDLE_SECONDS, 1);
    for (int schedules : new int[] {0, 1, MANY}) {
      Effort effort = scene.idle(stage.meter(), schedules, seconds);
      table.row(
          "%,d".formatted(schedules),
          inASecond((double) effort.statements(), effort),
          inASecond((double) effort.rowsRead(), effort),
          inASecond(1_000 * effort.serverSeconds(), effort));
      stage
          .report()
          .sample(
              "schedules",
              Map.of(
                  "case",
                  "idle",
                  "schedules",
                  schedules,
                  "statementsASecond",
                  effort.statements() / effort.seconds(),
                  "serverCpuMillisASecond",
                  1_000 * effort.serverSeconds() / effort.seconds()));
    }
    stage.report().table(table);
  }

  private static String inASecond(double amount, Effort effort) {
    return String.format(Locale.ROOT, "%.2f", amount / effort.seconds());
  }
}
