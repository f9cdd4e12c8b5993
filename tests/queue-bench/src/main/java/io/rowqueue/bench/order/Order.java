package io.rowqueue.bench.order;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.drain.LineDrain;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import java.util.Locale;
import java.util.Map;

/**
 * A drain without ordering keys beside those with a hundred keys and with as many as half of its
 * messages, by turns; one long line, at its beginning and at its end, without and with an old
 * snapshot; and how soon the messages of another key are picked up beside it.
 */
public final class Order implements Workload {

  private static final int LONG_LINE = 100_000;
  private static final int TIMED = 10_000;
  private static final int OTHERS = 200;

  /** Of a key with a limit. */
  private static final int AT_ONCE = 4;

  @Override
  public String name() {
    return "order";
  }

  @Override
  public String what() {
    return "messages with ordering keys: many lines, and one of a hundred thousand";
  }

  @Override
  public void run(Stage stage) throws Exception {
    LineDrain.show(stage);
    LineScene scene = new LineScene(stage.database());
    longLine(stage, scene);
    busyKey(stage, scene);
  }

  private static void longLine(Stage stage, LineScene scene) throws Exception {
    int line = stage.messages(LONG_LINE);
    int timed = Math.min(line / 4, stage.messages(TIMED));
    // So few that the line outlasts them: its end is timed after them.
    int others = Math.min(line / 100, OTHERS);
    LineScene.LongLine usual = scene.longLine(line, timed, others, false);
    LineScene.LongLine old = scene.longLine(line, timed, others, true);
    Table rates =
        new Table(
            "one line of %,d".formatted(line),
            "",
            "first, a second",
            "last, a second",
            "another key, ms in the median",
            "p99");
    row(rates, "", usual);
    row(rates, "with an old snapshot", old);
    stage.report().table(rates);
    sample(stage, "long line", usual);
    sample(stage, "old snapshot", old);
    stage
        .report()
        .bar(
            Bar.atLeast(
                "the end of a long line to its beginning", usual.last() / usual.first(), 0.9));
    stage.report().bar(Bar.atLeast("one line, messages a second", usual.last(), 300));
    stage.report().bar(Bar.atMost("another key beside it, p99 in ms", usual.others().at(0.99), 50));
  }

  private static void busyKey(Stage stage, LineScene scene) throws Exception {
    int length = stage.messages(LONG_LINE);
    Figures millis = scene.besideABusyKey(length, AT_ONCE, Math.min(length / 100, OTHERS));
    stage
        .report()
        .table(
            Table.of(
                "ms to other keys of the topic, beside one with %,d of which %d may run"
                    .formatted(length, AT_ONCE),
                Map.of("", millis)));
    stage.report().sample("order", Map.of("case", "busy key", "othersMillis", millis.sorted()));
    stage.report().bar(Bar.atMost("beside a busy key, p99 in ms", millis.at(0.99), 50));
  }

  private static void sample(Stage stage, String what, LineScene.LongLine line) {
    stage
        .report()
        .sample(
            "order",
            Map.of(
                "case", what,
                "firstPerSecond", line.first(),
                "lastPerSecond", line.last(),
                "othersMillis", line.others().sorted()));
  }

  private static void row(Table table, String what, LineScene.LongLine line) {
    table.row(
        what,
        number(line.first()),
        number(line.last()),
        String.format(Locale.ROOT, "%.1f", line.others().median()),
        String.format(Locale.ROOT, "%.1f", line.others().at(0.99)));
  }

  private static String number(double perSecond) {
    return String.format(Locale.ROOT, "%,.0f", perSecond);
  }
}
