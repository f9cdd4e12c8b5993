package io.rowqueue.bench.stream;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.measure.Load;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Payloads that are streamed, in chunks beside their rows and in files, each beside the least that
 * it takes. What a contest counts as messages are megabytes here.
 */
public final class Streams implements Workload {

  /** As for the other features, figures are taken at 0.4 of the full size: 100. */
  private static final int MEGABYTES = 250;

  private static final int LEAST = 10;
  private static final int SEVERAL = 10;

  @Override
  public String name() {
    return "streams";
  }

  @Override
  public String what() {
    return "MB a second of streamed payloads, in chunks beside their rows and in files";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int each = stage.scaled(MEGABYTES, LEAST) / SEVERAL;
    try (Folder folder = Folder.create();
        Way bareRows = new BareRows(database);
        Way rows = QueueWay.rows(database, folder);
        Way plainFiles = BareFiles.plain(database, folder);
        Way bareFiles = BareFiles.digested(database, folder);
        Way files = QueueWay.files(database, folder)) {
      List<Beside> all =
          List.of(
              new Beside(bareRows, bareRows),
              new Beside(rows, bareRows),
              new Beside(plainFiles, bareFiles),
              new Beside(bareFiles, bareFiles),
              new Beside(files, bareFiles));
      measure(stage, new Films(1, SEVERAL * each), all);
      measure(stage, new Films(SEVERAL, each), all);
    }
  }

  /** A way, and the floor that it is held against. */
  private record Beside(Way way, Way floor) {}

  private static void measure(Stage stage, Films films, List<Beside> all) throws Exception {
    String size = ", %d of %d MB".formatted(films.count(), films.megabytes());
    measure(stage, "streams enqueued" + size, way -> Turn.written(way, films), all);
    measure(stage, "streams handled" + size, way -> Turn.read(way, films), all);
  }

  private static void measure(
      Stage stage, String title, Function<Way, Turn> turns, List<Beside> all) throws Exception {
    List<Turn> contenders = all.stream().map(each -> turns.apply(each.way)).toList();
    int megabytes = contenders.get(0).films().allMegabytes();
    Standing end = new Contest(stage, "streams", title, megabytes).run(contenders);
    Table table = table("%s (load %.1f)".formatted(title, Load.average()));
    List<Bar> bars = new ArrayList<>();
    for (Beside each : all) {
      Turn turn = turns.apply(each.way);
      double share = end.ratio(turn, turns.apply(each.floor), Effort::perSecond);
      row(table, end, turn, share);
      if (each.way instanceof QueueWay) {
        bars.add(Bar.atLeast(title + ", " + turn.name() + ", to its floor", share, 0.5));
      }
    }
    stage.report().table(table);
    bars.forEach(stage.report()::bar);
  }

  private static Table table(String title) {
    return new Table(
        title,
        "",
        "MB/s",
        "min",
        "max",
        "of its floor",
        "server ms a MB",
        "client ms a MB",
        "statements a MB");
  }

  private static void row(Table table, Standing end, Turn turn, double share) {
    Figures rate = end.figures(turn, Effort::perSecond);
    table.row(
        turn.name(),
        "%,.0f".formatted(rate.median()),
        "%,.0f".formatted(rate.min()),
        "%,.0f".formatted(rate.max()),
        "%.2f".formatted(share),
        millis(end.figures(turn, Effort::serverMicrosEach)),
        millis(end.figures(turn, Effort::clientMicrosEach)),
        "%.1f".formatted(end.figures(turn, Effort::statementsEach).median()));
  }

  private static String millis(Figures micros) {
    return String.format(Locale.ROOT, "%.1f", micros.median() / 1_000);
  }
}
