package io.rowqueue.bench;

import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Contest;
import io.rowqueue.bench.measure.Contest.Standing;
import io.rowqueue.bench.measure.Effort;
import io.rowqueue.bench.measure.Report.Bar;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;

/**
 * What it costs that messages are steps of chains. What a step's enqueueing costs is in its drain,
 * while plain messages are enqueued before it; so handlers that enqueue the next step themselves,
 * in their transactions, are measured beside both.
 */
final class Chains implements Workload {

  private static final int SHORT = 2;
  private static final int USUAL = 4;
  private static final int LONG = 16;

  private static final int SINGLE = 16_000;
  private static final int TOGETHER = 48_000;

  /** Thirty of the longest. */
  private static final int LEAST = 480;

  /** Chains that are enqueued with one COMMIT. */
  private static final int A_COMMIT = 500;

  @Override
  public String name() {
    return "chains";
  }

  @Override
  public String what() {
    return "messages handled a second that are steps of chains of 2, 4 and 16";
  }

  @Override
  public void run(Stage stage) throws Exception {
    HandlerSettings alone = HandlerSettings.defaults();
    HandlerSettings shared = alone.withSharedCommit();
    drain(stage, new How("a COMMIT each", alone, SINGLE, true));
    drain(stage, new How("shared commits", shared, TOGETHER, true));
    drain(stage, new How("grouped acks", alone.withoutTransaction(), TOGETHER, false));
  }

  /**
   * A kind of drain.
   *
   * @param hasTransaction whether a handler can enqueue in it
   */
  private record How(
      String words, HandlerSettings settings, int messages, boolean hasTransaction) {}

  private static void drain(Stage stage, How how) throws Exception {
    QueueDatabase database = stage.database();
    Contender plain =
        RowQueueDrainer.doing(
            "no chains", new QueueTable(database), how.settings, (work, context) -> {});
    Contender byHand = byHand(database, how.settings);
    Contender two = chains(database, SHORT, how.settings);
    Contender four = chains(database, USUAL, how.settings);
    Contender sixteen = chains(database, LONG, how.settings);
    Standing end =
        new Contest(
                stage,
                "chains",
                "chains, " + how.words,
                stage.scaled(how.messages, LEAST) / LONG * LONG)
            .show(
                plain,
                how.hasTransaction
                    ? List.of(plain, byHand, two, four, sixteen)
                    : List.of(plain, two, four, sixteen));
    if (how.hasTransaction) {
      double share = end.ratio(four, byHand, Effort::perSecond);
      stage.report().bar(Bar.atLeast(how.words + ": chains of 4 to the same by hand", share, 0.5));
    }
    double share = end.ratio(sixteen, two, Effort::perSecond);
    stage.report().bar(Bar.atLeast(how.words + ": chains of 16 to chains of 2", share, 0.5));
  }

  private static Contender chains(QueueDatabase database, int steps, HandlerSettings settings) {
    return RowQueueDrainer.doing(
            "chains of " + steps, new QueueTable(database), settings, (work, context) -> {})
        .filledBy(messages -> enqueue(database, messages / steps, steps));
  }

  private static void enqueue(QueueDatabase database, int chains, int steps) throws SQLException {
    ChainProducer producer = ChainProducer.over(MessageProducer.create());
    try (Connection connection = Bare.connect(database)) {
      for (int number = 0; number < chains; number++) {
        producer.enqueue(connection, chain(number * steps, steps));
        if (number % A_COMMIT == 0) {
          connection.commit();
        }
      }
      connection.commit();
    }
  }

  private static Chain chain(int first, int steps) {
    Chain chain = Chain.of(message(first));
    for (int number = first + 1; number < first + steps; number++) {
      chain = chain.then(message(number));
    }
    return chain;
  }

  private static NewMessage message(int number) {
    return NewMessage.of(QueueTable.TOPIC, Work.of(number));
  }

  /** Each handler but every fourth enqueues the next number. */
  private static Contender byHand(QueueDatabase database, HandlerSettings settings) {
    MessageProducer producer = MessageProducer.create();
    QueueTable table = new QueueTable(database, producer, chain -> message(chain * USUAL));
    return RowQueueDrainer.doing(
            "handlers that enqueue the next of 4",
            table,
            settings,
            (work, context) -> {
              int next = work.number() + 1;
              if (next % USUAL != 0) {
                producer.enqueue(context.connection(), message(next));
              }
            })
        .filledBy(messages -> table.fill(messages / USUAL));
  }
}
