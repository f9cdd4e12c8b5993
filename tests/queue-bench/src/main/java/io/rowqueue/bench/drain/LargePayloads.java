package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.enqueue.Commits;
import io.rowqueue.bench.enqueue.Commits.Way;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.PayloadCodec;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.wakeup.Ring;
import java.util.List;

/** Payloads of several sizes in their rows, and beside them: from which size on that pays. */
public final class LargePayloads implements Workload {

  private static final int KIB = 1_024;
  private static final int CALL = 10;
  private static final int LEAST = 20;

  /** What each turn moves, but for small payloads. */
  private static final int BYTES = 64 * KIB * KIB;

  @Override
  public String name() {
    return "payloads";
  }

  @Override
  public String what() {
    return "messages enqueued and handled a second with payloads in the row, and beside it";
  }

  @Override
  public void run(Stage stage) throws Exception {
    for (int kib : new int[] {8, 32, 128, 1_000}) {
      measure(stage, kib);
    }
  }

  private static void measure(Stage stage, int kib) throws Exception {
    Records records = Records.of(kib * KIB);
    int messages = stage.scaled(Math.min(BYTES / (kib * KIB), 2_000), LEAST);
    MessageLimits limits = MessageLimits.defaults();
    MessageProducer within = producer(limits.withBodyAbove(2 * kib * KIB));
    MessageProducer beside = producer(limits.withBodyAbove(KIB));
    String size = ", %,d KiB".formatted(kib);
    show(
        new Contest(stage, "payloads", "enqueue, ten a call" + size, messages),
        produces("in the row", stage.database(), within, records),
        produces("beside it", stage.database(), beside, records));
    show(
        new Contest(stage, "payloads", "drain" + size, messages),
        drains("in the row", stage.database(), within, records),
        drains("beside it", stage.database(), beside, records));
  }

  private static MessageProducer producer(MessageLimits limits) {
    return MessageProducer.create(PayloadCodec.json(), limits).ringing(Ring.SILENT);
  }

  private static Contender produces(
      String name, QueueDatabase database, MessageProducer producer, Records records) {
    return Commits.of(name, new Way(database, 1, CALL), producer, records);
  }

  private static Contender drains(
      String name, QueueDatabase database, MessageProducer producer, Records records) {
    return RowQueueDrainer.doing(
        name,
        new QueueTable(database, producer, records),
        HandlerSettings.defaults(),
        (work, context) -> {});
  }

  private static void show(Contest contest, Contender within, Contender beside) throws Exception {
    contest.show(within, List.of(within, beside));
  }
}
