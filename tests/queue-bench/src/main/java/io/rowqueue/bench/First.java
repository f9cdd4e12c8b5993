package io.rowqueue.bench;

import io.rowqueue.bench.Drainer.Effect;
import io.rowqueue.bench.Drainer.Progress;
import io.rowqueue.bench.Rivals.DbSchedulerDrainer;
import io.rowqueue.bench.Rivals.SkipLockedLoop;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Meter;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.process.Child;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The first messages of a process, before its code is compiled: a new process enqueues them and
 * then starts its worker. Measured from the first to the last, and from the worker's start.
 */
final class First {

  private static final int MESSAGES = 1_000;
  private static final String REPORT = "first: ";

  private static final String OURS = "RowQueue";
  private static final String LOOP = "hand-written loop";
  private static final String SCHEDULER = "db-scheduler";

  private First() {}

  static void run(Stage stage) throws IOException {
    for (Effect effect : List.of(Effect.NONE, Effect.INSERT)) {
      Map<String, List<Double>> rates = new LinkedHashMap<>();
      Map<String, List<Double>> seconds = new LinkedHashMap<>();
      for (int round = 0; round < stage.rounds(); round++) {
        for (String name : List.of(OURS, LOOP, SCHEDULER)) {
          String[] words = measured(stage, name, effect).split(" ", -1);
          rates.computeIfAbsent(name, any -> new ArrayList<>()).add(Double.valueOf(words[0]));
          seconds.computeIfAbsent(name, any -> new ArrayList<>()).add(Double.valueOf(words[1]));
        }
      }
      String title =
          "the first %,d messages, handlers that %s"
              .formatted(MESSAGES, effect == Effect.NONE ? "do nothing" : "insert a row");
      Map<String, Figures> figures = figures(rates);
      stage.figures(title + ": messages/s", "perSecond", figures);
      stage.figures(title + ": s from the worker's start", "seconds", figures(seconds));
      double rival = Math.max(median(figures, LOOP), median(figures, SCHEDULER));
      stage.atLeast(title + ": rate to the better rival's", median(figures, OURS) / rival, 1.5);
    }
  }

  private static Map<String, Figures> figures(Map<String, List<Double>> values) {
    Map<String, Figures> figures = new LinkedHashMap<>();
    values.forEach((name, each) -> figures.put(name, Figures.of(each)));
    return figures;
  }

  private static double median(Map<String, Figures> figures, String name) {
    return Objects.requireNonNull(figures.get(name)).median();
  }

  private static String measured(Stage stage, String name, Effect effect) throws IOException {
    String server = "-Drowqueue.test.url=" + stage.database().url();
    try (Child child = Child.start(List.of(server), FirstChild.class, name, effect.name())) {
      return child.awaitLine(REPORT);
    }
  }

  private static Drainer drainer(String name, QueueDatabase database, Effect effect) {
    return switch (name) {
      case OURS -> RowQueueDrainer.single(OURS, database, effect, HandlerSettings.defaults());
      case LOOP -> new SkipLockedLoop(database, effect, 1);
      default -> new DbSchedulerDrainer(database, effect);
    };
  }

  /** A new process, with a schema of its own. */
  static final class FirstChild {

    private FirstChild() {}

    public static void main(String[] arguments) throws Exception {
      try (QueueDatabase database = QueueDatabase.create();
          Meter meter = Meter.of(database);
          Drainer drainer = drainer(arguments[0], database, Effect.valueOf(arguments[1]))) {
        drainer.fill(MESSAGES);
        Progress progress = new Progress(meter, MESSAGES, 1);
        long start = System.nanoTime();
        drainer.drain(progress);
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.println(REPORT + progress.effort().perSecond() + " " + seconds);
      }
      System.exit(0);
    }
  }
}
