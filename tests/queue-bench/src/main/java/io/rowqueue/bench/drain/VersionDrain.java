package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.PayloadVersion;
import io.rowqueue.message.Upcasters;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/**
 * What it costs that payloads are of an old version and are brought to today's, and that messages
 * come under a former name of their topic.
 */
public final class VersionDrain implements Workload {

  private static final int SINGLE = 20_000;
  private static final int TOGETHER = 60_000;
  private static final int LEAST = 400;
  private static final String FORMER = "bench-formerly";

  private static final Upcasters ONE_STEP =
      Upcasters.to(Second.class).from(1, tree -> tree.put("text", tree.remove("filler")));

  private static final Upcasters FIVE_STEPS =
      Upcasters.to(Sixth.class)
          .from(1, tree -> tree.put("text", tree.remove("filler")))
          .from(2, tree -> tree.putIfAbsent("currency", "EUR"))
          .from(3, tree -> tree.putIfAbsent("quantity", 1))
          .from(4, tree -> tree.put("article", tree.remove("text")))
          .from(5, tree -> tree.putIfAbsent("urgent", false));

  /** {@link Work} after one change. */
  @PayloadVersion(2)
  record Second(int number, String text) {}

  /** {@link Work} after five. */
  @PayloadVersion(6)
  record Sixth(int number, String article, String currency, int quantity, boolean urgent) {}

  @Override
  public String name() {
    return "versions";
  }

  @Override
  public String what() {
    return "messages handled a second that are of an old version, or came under a former name";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    drain(stage, "a COMMIT each", alone, SINGLE);
    drain(stage, "shared commits", alone.withSharedCommit(), TOGETHER);
    drain(stage, "grouped acks", alone.withoutTransaction(), TOGETHER);
  }

  private static void drain(Stage stage, String how, HandlerSettings settings, int size)
      throws Exception {
    QueueDatabase database = stage.database();
    QueueTable first = new QueueTable(database);
    HandlerSettings once = settings.withUpcasters(ONE_STEP);
    HandlerSettings fiveTimes = settings.withUpcasters(FIVE_STEPS);
    HandlerSettings renamed = settings.withFormerTopics(FORMER);
    Contender plain = RowQueueDrainer.taking(Work.class, "version 1, today's", first, settings);
    new Contest(stage, "versions", "versions, " + how, stage.scaled(size, LEAST))
        .show(
            plain,
            List.of(
                plain,
                RowQueueDrainer.taking(Second.class, "version 2, today's", second(database), once),
                RowQueueDrainer.taking(Second.class, "version 1, one step behind", first, once),
                RowQueueDrainer.taking(
                    Sixth.class, "version 1, five steps behind", first, fiveTimes),
                RowQueueDrainer.taking(
                    Work.class, "under a former name", new QueueTable(database, FORMER), renamed)));
  }

  /** Its rows have a header that says so. */
  private static QueueTable second(QueueDatabase database) {
    return new QueueTable(
        database,
        MessageProducer.create(),
        number -> NewMessage.of(QueueTable.TOPIC, new Second(number, Work.of(number).filler())));
  }
}
