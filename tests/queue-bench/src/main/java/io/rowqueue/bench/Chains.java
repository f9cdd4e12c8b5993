package io.rowqueue.bench;

import io.rowqueue.bench.QueueTable.Work;
import io.rowqueue.bench.RowQueueDrainer.Mode;
import io.rowqueue.bench.measure.Contender;
import io.rowqueue.bench.measure.Stage;
import io.rowqueue.bench.measure.Standing;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * What it costs that messages are steps of chains. What a step's enqueueing costs is in its drain,
 * while plain messages are enqueued before it; so handlers that enqueue the next step themselves,
 * in their transactions, are measured beside both.
 */
final class Chains {

  private static final int USUAL = 4;
  private static final int LONG = 16;

  /** Thirty of the longest. */
  private static final int LEAST = 480;

  /** Chains that are enqueued with one COMMIT. */
  private static final int A_COMMIT = 500;

  private Chains() {}

  static void run(Stage stage) throws Exception {
    for (Mode mode : Mode.all(16_000, 48_000, 48_000)) {
      QueueDatabase database = stage.database();
      Contender plain =
          RowQueueDrainer.idle("no chains", new QueueTable(database), mode.settings());
      Contender byHand = byHand(database, mode.settings());
      Contender two = chains(database, 2, mode.settings());
      Contender four = chains(database, USUAL, mode.settings());
      Contender sixteen = chains(database, LONG, mode.settings());
      Standing end =
          stage.contest(
              "chains, " + mode.words(),
              stage.scaled(mode.messages(), LEAST) / LONG * LONG,
              plain,
              mode.hasTransaction()
                  ? new Contender[] {byHand, two, four, sixteen}
                  : new Contender[] {two, four, sixteen});
      if (mode.hasTransaction()) {
        stage.atLeast(
            mode.words() + ": chains of 4 to the same by hand", end.rate(four, byHand), 0.5);
      }
      stage.atLeast(mode.words() + ": chains of 16 to chains of 2", end.rate(sixteen, two), 0.5);
    }
  }

  private static Contender chains(QueueDatabase database, int steps, HandlerSettings settings) {
    return RowQueueDrainer.idle("chains of " + steps, new QueueTable(database), settings)
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
