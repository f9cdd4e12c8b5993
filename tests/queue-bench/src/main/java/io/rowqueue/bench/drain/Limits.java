package io.rowqueue.bench.drain;

import io.rowqueue.bench.Stage;
import io.rowqueue.bench.Workload;
import io.rowqueue.bench.contest.Contender;
import io.rowqueue.bench.contest.Contest;
import io.rowqueue.bench.contest.Prepared;
import io.rowqueue.bench.contest.Standing;
import io.rowqueue.bench.drain.QueueTable.Work;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.report.Bar;
import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.QueueDatabase;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;

/** What it costs to heed limits that hold nobody up: of a topic, and of each of many keys. */
public final class Limits implements Workload {

  private static final int MESSAGES = 20_000;
  private static final int LEAST = 400;
  private static final int FEW_KEYS = 100;
  private static final int OF_A_KEY = 4;
  private static final int AT_ONCE = 1_000;
  private static final int A_SECOND = 1_000_000;
  private static final Topic TOPIC = new Topic(QueueTable.TOPIC);

  @Override
  public String name() {
    return "limits";
  }

  @Override
  public String what() {
    return "messages handled a second under limits of topics and of keys";
  }

  @Override
  public void run(Stage stage) throws Exception {
    QueueDatabase database = stage.database();
    int messages = stage.scaled(MESSAGES, LEAST);
    int many = messages / 2;
    Contender none = drainer(database, "no limit", 0, topics -> {});
    Contender few = ofKeys(database, FEW_KEYS);
    Contender lots = ofKeys(database, many);
    Standing end =
        new Contest(stage, "limits", "limits that hold nobody up", messages)
            .show(
                none,
                List.of(
                    none,
                    drainer(
                        database,
                        "%,d in flight".formatted(AT_ONCE),
                        0,
                        topics -> topics.limitInFlight(TOPIC, AT_ONCE)),
                    drainer(
                        database,
                        "%,d a second".formatted(A_SECOND),
                        0,
                        topics -> topics.limitPerSecond(TOPIC, A_SECOND)),
                    few,
                    lots,
                    drainer(
                        database,
                        "%,d keys, %,d a second each".formatted(FEW_KEYS, A_SECOND),
                        FEW_KEYS,
                        topics -> topics.limitKeyPerSecond(TOPIC, A_SECOND))));
    stage
        .report()
        .bar(
            Bar.atLeast(
                "many keys with limits, to few", end.ratio(lots, few, Effort::perSecond), 0.5));
  }

  private static Contender ofKeys(QueueDatabase database, int keys) {
    return drainer(
        database,
        "%,d keys, %d of each".formatted(keys, OF_A_KEY),
        keys,
        topics -> topics.limitKeyInFlight(TOPIC, OF_A_KEY));
  }

  /** Without keys if {@code keys} is 0. */
  private static Contender drainer(
      QueueDatabase database, String name, int keys, Consumer<Topics> limit) {
    IntFunction<NewMessage> message =
        number -> {
          NewMessage plain = NewMessage.of(TOPIC, Work.of(number));
          return keys == 0 ? plain : plain.withLimitKey("key-" + number % keys);
        };
    return new Prepared(
        RowQueueDrainer.doing(
            name,
            new QueueTable(database, MessageProducer.create(), message),
            HandlerSettings.defaults(),
            (work, context) -> {}),
        messages -> {
          database.clean();
          limit.accept(Topics.of(Transactions.on(database.dataSource())));
        },
        messages -> database.clean());
  }
}
