package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.measure.Figures;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.bench.report.Table;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** What handlers pay that report, look and extend, and how soon a wish reaches one. */
public final class LongHandlers implements Workload {

  private static final int MESSAGES = 20_000;
  private static final int TIMES = 10;
  private static final int WISHES = 96;
  private static final Duration EXTENSION = Duration.ofMinutes(1);

  @Override
  public String name() {
    return "longhandlers";
  }

  @Override
  public String what() {
    return "messages handled a second with reports, looks and extensions; ms until a wish is seen";
  }

  @Override
  public void run(Stage stage) throws Exception {
    Contender plain = drainer(stage, "plain", context -> {});
    List<Contender> contenders =
        List.of(
            plain,
            drainer(stage, "reporting", context -> context.progress(1, TIMES, "on the way")),
            drainer(stage, "looking for a wish", LongHandlers::look),
            drainer(stage, "extending", context -> context.extendTimeout(EXTENSION)));
    new Contest(stage, "longhandlers", "handlers, each ten times", stage.scaled(MESSAGES, 200))
        .show(plain, contenders);
    wishes(stage);
  }

  /** All of them may take longer, so that this makes no difference. */
  private static Contender drainer(Stage stage, String name, Consumer<HandlerContext> deed) {
    return RowQueueDrainer.doing(
        name,
        new QueueTable(stage.database()),
        HandlerSettings.defaults().withLongestTimeout(EXTENSION.multipliedBy(10)),
        (work, context) -> {
          for (int i = 0; i < TIMES; i++) {
            deed.accept(context);
          }
        });
  }

  private static void look(HandlerContext context) {
    if (context.isCancelAsked()) {
      throw new IllegalStateException("nobody has asked");
    }
  }

  private static void wishes(Stage stage) throws Exception {
    Figures millis = CancelWaits.measure(stage.database(), stage.scaled(WISHES, 8));
    stage
        .report()
        .table(Table.of("ms from a wish's COMMIT to the handler's look", Map.of("", millis)));
    stage.report().sample("longhandlers", Map.of("case", "wish", "millisEach", millis.sorted()));
    stage.report().bar(Bar.atMost("ms until a wish is seen, median", millis.median(), 700));
    stage.report().bar(Bar.atMost("ms until a wish is seen, longest", millis.max(), 1_200));
  }
}
