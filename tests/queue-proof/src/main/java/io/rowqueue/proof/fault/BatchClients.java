package io.rowqueue.proof.fault;

import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.proof.fault.plugin.Action;
import io.rowqueue.proof.fault.plugin.Action.Ending;
import io.rowqueue.proof.fault.plugin.FaultTopics;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/** Enqueues batches and chains, and cancels some of them while they are handled. */
final class BatchClients {

  private static final int STEPS = 3;

  /** So few shards that two threads meet in one now and then. */
  private static final int SHARDS = 4;

  private static final int MOST_MILLIS = 8;
  private static final int ONE_ADDS_TWICE_IN = 3;

  private BatchClients() {}

  record Batch(long id, List<Ledger.Entry> members) {}

  /** A chain, by its id and as its producer calls it. */
  record Chained(long id, String name) {}

  /** A member whose handler adds others to its batch; some of these fail once, having added. */
  static NewMessage adding(RandomGenerator random) {
    Ending ending = random.nextInt(ONE_ADDS_TWICE_IN) == 0 ? Ending.FAIL_ONCE : Ending.SUCCEED;
    return NewMessage.of(FaultTopics.ADDING, new Action(ending, random.nextInt(MOST_MILLIS), null));
  }

  /**
   * Whether it may be in a batch. A duplicate is left out, and would be no member. Nor are those
   * that come back all the same when they have failed: their batches would not know how they end.
   */
  static boolean mayBeMember(NewMessage message) {
    String topic = message.topic().name();
    return message.deduplication() == null
        && !topic.equals(FaultTopics.HELD)
        && !topic.equals(FaultTopics.SOURCE);
  }

  /** A batch of {@code members}, written in the transaction that enqueues it. */
  static Batch enqueueBatch(Connection connection, MessageProducer queue, List<NewMessage> members)
      throws SQLException {
    BatchProducer batches = BatchProducer.over(queue);
    MessageBatch batch =
        batches.open(
            connection,
            BatchSettings.defaults()
                .withShards(SHARDS)
                .completingWith(NewMessage.of(FaultTopics.COMPLETED, "")));
    List<MessageId> ids = batches.add(connection, batch, members);
    if (!batches.close(connection, batch)) {
      throw new IllegalStateException("a batch of this transaction was closed by another");
    }
    Ledger.insert(connection, "INSERT INTO batched VALUES (?, ?)", batch.id(), members.size());
    List<Ledger.Entry> entries = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      entries.add(Ledger.Entry.of(ids.get(i), members.get(i)));
      Ledger.insert(
          connection, "INSERT INTO batch_member VALUES (?, ?)", ids.get(i).value(), batch.id());
    }
    return new Batch(batch.id(), entries);
  }

  /**
   * A chain, written in the transaction that enqueues its first step.
   *
   * @param delays how long it waits before the step of a number
   */
  static Chained enqueueChain(
      Connection connection, MessageProducer queue, IntFunction<Duration> delays)
      throws SQLException {
    String name = UUID.randomUUID().toString();
    Chain chain = Chain.of(step(name, 1).withDelay(delays.apply(1)));
    for (int number = 2; number <= STEPS; number++) {
      chain = chain.then(step(name, number).withDelay(delays.apply(number)));
    }
    long id = ChainProducer.over(queue).enqueue(connection, chain);
    Ledger.insert(connection, "INSERT INTO chained VALUES (?)", name);
    return new Chained(id, name);
  }

  private static NewMessage step(String chain, int number) {
    return NewMessage.of(FaultTopics.STEP, new Action.Step(chain, number));
  }

  /**
   * Enqueues a batch and a chain, and cancels both a moment later. A call that failed may have
   * cancelled or not: its answer stays null, and is not judged.
   */
  static final class Canceller {
    private static final int MEMBERS = 5;

    /** Members that wait when they are cancelled, unless a fault comes between. */
    private static final int LATE_MEMBERS = 2;

    private static final Duration LATE = Duration.ofMillis(1_500);
    private static final int MOST_WAIT_MILLIS = 150;

    private final QueueDatabase database;
    private final Cluster cluster;
    private final Workload.Mix mix;
    private final RandomGenerator random;
    private final Batches batches;
    private final Chains chains;
    private int chained;

    Canceller(Cluster cluster, Workload.Mix mix, long seed) {
      this.cluster = cluster;
      this.database = cluster.database();
      this.mix = mix;
      this.random = Client.seeded(seed);
      Transactions transactions = Transactions.on(database.dataSource());
      this.batches = new JooqBatches(transactions);
      this.chains = new JooqChains(transactions);
    }

    void cancelSome() throws SQLException {
      Batch batch;
      Chained chain;
      try (Connection connection = DriverManager.getConnection(cluster.clientUrl())) {
        connection.setAutoCommit(false);
        batch = enqueueBatch(connection, cluster.producer(), members());
        // A chain comes to its first, its second or its third step, and waits there.
        int late = 1 + chained++ % STEPS;
        chain =
            enqueueChain(
                connection, cluster.producer(), step -> step == late ? LATE : Duration.ZERO);
        Ledger.write(connection, batch.members());
        for (Ledger.Entry each : batch.members()) {
          Ledger.insert(
              connection,
              "INSERT INTO removed (message_id, stays) VALUES (?, 1)",
              each.id().value());
        }
        Ledger.insert(connection, "INSERT INTO cancelled_batch (batch_id) VALUES (?)", batch.id());
        Ledger.insert(connection, "INSERT INTO cancelled_chain (chain) VALUES (?)", chain.name());
        connection.commit();
      }
      Client.pause(0, MOST_WAIT_MILLIS, random);
      cancel(chain);
      int out = batches.cancel(batch.id());
      database.execute(
          "UPDATE cancelled_batch SET answered = %d WHERE batch_id = %d"
              .formatted(out, batch.id()));
    }

    private List<NewMessage> members() {
      List<NewMessage> members =
          new ArrayList<>(
              Stream.generate(() -> mix.next(random))
                  .filter(BatchClients::mayBeMember)
                  // Without an effect in the database none could say whether it was handled.
                  .filter(each -> !each.topic().name().equals(FaultTopics.OUTSIDE))
                  .limit(MEMBERS)
                  .toList());
      members.add(adding(random));
      NewMessage late = NewMessage.of(FaultTopics.ALONE, Action.succeeding(0)).withDelay(LATE);
      members.addAll(Collections.nCopies(LATE_MEMBERS, late));
      return members;
    }

    /** One that has ended is refused, and has taken every step. */
    private void cancel(Chained chain) {
      try {
        boolean out = chains.cancel(chain.id());
        long steps =
            database.count("SELECT COUNT(*) FROM step WHERE chain = '%s'".formatted(chain.name()));
        database.execute(
            "UPDATE cancelled_chain SET answered = %d, steps = %d WHERE chain = '%s'"
                .formatted(out ? 1 : 0, steps, chain.name()));
      } catch (RefusedException e) {
        database.execute("DELETE FROM cancelled_chain WHERE chain = '%s'".formatted(chain.name()));
      }
    }
  }
}
