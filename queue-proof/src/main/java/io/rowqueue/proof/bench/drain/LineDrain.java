package io.rowqueue.proof.bench.drain;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.bench.Stage;
import io.rowqueue.proof.bench.contest.Contest;
import io.rowqueue.proof.bench.contest.Standing;
import io.rowqueue.proof.bench.drain.QueueTable.Work;
import io.rowqueue.proof.bench.measure.Effort;
import io.rowqueue.proof.bench.report.Bar;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;
import java.util.function.IntFunction;

/** Drains over lines, few long ones and many short ones, beside one without ordering keys. */
public final class LineDrain {

  private static final int MESSAGES = 20_000;
  private static final int LEAST = 400;
  private static final int FEW_LINES = 100;

  private LineDrain() {}

  /** Shows what they came to. */
  public static void show(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int messages = stage.scaled(MESSAGES, LEAST);
    RowQueueDrainer none = drainer(database, 0);
    RowQueueDrainer many = drainer(database, messages / 2);
    Standing end =
        new Contest(stage, "order", "drains over lines", messages)
            .show(none, List.of(none, drainer(database, FEW_LINES), many));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "many lines, to a drain without keys",
                end.ratio(many, none, Effort::perSecond),
                0.5));
  }

  /** Without keys if {@code keys} is 0. */
  private static RowQueueDrainer drainer(QueueDatabase database, int keys) {
    IntFunction<NewMessage> message =
        number -> {
          NewMessage plain = NewMessage.of(QueueTable.TOPIC, Work.of(number));
          return keys == 0 ? plain : plain.withOrderingKey("key-" + number % keys);
        };
    return RowQueueDrainer.doing(
        keys == 0 ? "without keys" : "%,d keys".formatted(keys),
        new QueueTable(database, MessageProducer.create(), message),
        HandlerSettings.defaults(),
        (work, context) -> {});
  }
}
