package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;
import java.util.function.IntFunction;

/** Drains over lines, few long ones and many short ones, beside one without ordering keys. */
public final class LineDrain {

  private static final int SINGLE = 20_000;
  private static final int TOGETHER = 60_000;
  private static final int LEAST = 400;
  private static final int FEW_LINES = 100;

  private LineDrain() {}

  /** Shows what they came to, for each way to commit. */
  public static void show(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    show(stage, "a COMMIT each", alone, SINGLE);
    show(stage, "shared commits", alone.withSharedCommit(), TOGETHER);
    show(stage, "grouped acks", alone.withoutTransaction(), TOGETHER);
  }

  private static void show(Stage stage, String how, HandlerSettings settings, int size)
      throws Exception {
    QueueDatabase database = stage.database();
    int messages = stage.scaled(size, LEAST);
    RowQueueDrainer none = drainer(database, 0, settings);
    RowQueueDrainer few = drainer(database, FEW_LINES, settings);
    RowQueueDrainer many = drainer(database, messages / 2, settings);
    Standing end =
        new Contest(stage, "order", "drains over lines, " + how, messages)
            .show(none, List.of(none, few, many));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "many lines, " + how + ", to a drain without keys",
                end.ratio(many, none, Effort::perSecond),
                0.5));
  }

  /** Without keys if {@code keys} is 0. */
  private static RowQueueDrainer drainer(
      QueueDatabase database, int keys, HandlerSettings settings) {
    IntFunction<NewMessage> message =
        number -> {
          NewMessage plain = NewMessage.of(QueueTable.TOPIC, Work.of(number));
          return keys == 0 ? plain : plain.withOrderingKey("key-" + number % keys);
        };
    return RowQueueDrainer.doing(
        keys == 0 ? "without keys" : "%,d keys".formatted(keys),
        new QueueTable(database, MessageProducer.create(), message),
        settings,
        (work, context) -> {});
  }
}
