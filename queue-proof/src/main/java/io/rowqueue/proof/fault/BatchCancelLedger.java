package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.NewMessage;
import io.rowqueue.operate.Batches;
import io.rowqueue.operate.Chains;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.proof.fault.BatchLedger.Chained;
import io.rowqueue.proof.fault.BatchLedger.Enqueued;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

/**
 * Batches and chains that somebody cancels while they are handled, and the books of what he was
 * answered. What a batch has taken out counts as cancelled and is nowhere ({@link BatchLedger}); a
 * chain takes no step behind the one that it had come to. A call that failed may have cancelled or
 * not, and is not judged. Thread-safe, but for {@link #revoke}.
 */
final class BatchCancelLedger implements Books {

  private static final int MEMBERS = 5;

  /** Members that wait when they are cancelled, unless a fault comes between. */
  private static final int LATE_MEMBERS = 2;

  private static final Duration LATE = Duration.ofMillis(1_500);
  private static final int MOST_MILLIS = 150;

  private final QueueDatabase database;
  private final Batches batches;
  private final Chains chains;

  /** Confined to the thread that revokes. */
  private int chained;

  BatchCancelLedger(QueueDatabase database) {
    this.database = database;
    Transactions transactions = Transactions.on(database.dataSource());
    this.batches = Batches.of(transactions);
    this.chains = Chains.of(transactions);
    database.execute(
        "CREATE TABLE cancelled_batch (batch_id BIGINT NOT NULL PRIMARY KEY, answered INT NULL)",
        "CREATE TABLE cancelled_chain (chain VARCHAR(64) NOT NULL PRIMARY KEY,"
            + " answered TINYINT NULL, steps INT NULL)");
  }

  /** Enqueues a batch and a chain, and cancels both a moment later. */
  void revoke(String url, MessageProducer queue, Mix mix, RandomGenerator random)
      throws SQLException {
    Enqueued batch;
    Chained chain;
    try (Connection connection = DriverManager.getConnection(url)) {
      connection.setAutoCommit(false);
      batch = BatchLedger.enqueueBatch(connection, queue, members(mix, random));
      chain = BatchLedger.enqueueChain(connection, queue, delays());
      Ledger.book(connection, batch.members());
      Ledger.bookRemovals(connection, batch.members());
      book(connection, batch, chain);
      connection.commit();
    }
    Pauses.between(0, MOST_MILLIS, random);
    cancel(chain);
    cancel(batch);
  }

  private static List<NewMessage> members(Mix mix, RandomGenerator random) {
    List<NewMessage> members =
        new ArrayList<>(
            Stream.generate(() -> mix.next(random))
                .filter(BatchCancelLedger::mayGo)
                .limit(MEMBERS)
                .toList());
    members.add(Mix.adding(random));
    NewMessage late = NewMessage.of(Deed.ALONE, new Deed(Deed.What.SUCCEED, 0, null));
    Stream.generate(() -> late.withDelay(LATE)).limit(LATE_MEMBERS).forEach(members::add);
    return members;
  }

  /** Of what has no effect in the database nobody could say whether it is handled or gone. */
  private static boolean mayGo(NewMessage message) {
    return Producer.mayBeMember(message) && !message.topic().name().equals(Deed.OUTSIDE);
  }

  /** A chain comes to its first, its second or its third step, and waits there. */
  private IntFunction<Duration> delays() {
    int late = 1 + chained++ % BatchLedger.STEPS;
    return step -> step == late ? LATE : Duration.ZERO;
  }

  /** In the transaction that enqueues both, so that nobody audits them as others. */
  private static void book(Connection connection, Enqueued batch, Chained chain)
      throws SQLException {
    try (PreparedStatement one =
            connection.prepareStatement("INSERT INTO cancelled_batch (batch_id) VALUES (?)");
        PreparedStatement other =
            connection.prepareStatement("INSERT INTO cancelled_chain (chain) VALUES (?)")) {
      one.setLong(1, batch.batch());
      one.executeUpdate();
      other.setString(1, chain.name());
      other.executeUpdate();
    }
  }

  /** One that has completed is refused, and stays among those of which nothing was answered. */
  private void cancel(Enqueued batch) {
    int out = batches.cancel(batch.batch());
    database.execute(
        "UPDATE cancelled_batch SET answered = %d WHERE batch_id = %d"
            .formatted(out, batch.batch()));
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

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(answeredAndNotCounted());
    findings.addAll(stepsBehind());
    findings.addAll(stepsLeftOut());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    unused.addAll(
        Books.unusedIf(
            database,
            "cancelled batches",
            "SELECT COUNT(*) FROM cancelled_batch WHERE answered > 0"));
    unused.addAll(
        Books.unusedIf(
            database,
            "cancelled chains",
            "SELECT COUNT(*) FROM cancelled_chain WHERE answered = 1"));
    return unused;
  }

  /** Parts of a nested batch count in that one, and those that were cancelled are not done. */
  private List<String> answeredAndNotCounted() {
    return database.strings(
        "SELECT CONCAT('batch ', b.batch_id, ' was said to lose ', b.answered, ' messages, and"
            + " completed with ', c.counts) FROM cancelled_batch b"
            + " JOIN completed c ON c.batch_id = b.batch_id WHERE b.answered > %s"
                .formatted(BatchLedger.count("cancelled"))
            + " + (SELECT COUNT(*) FROM part p LEFT JOIN part_done d ON d.token = p.token"
            + " WHERE p.batch_id = b.batch_id AND p.nest IS NOT NULL AND d.token IS NULL)");
  }

  /** The message that it had come to was taken out; else that was the last one. */
  private List<String> stepsBehind() {
    return database.strings(
        "SELECT CONCAT('chain ', chain, ' was cancelled',"
            + " IF(answered, ' with its message', ''), ' behind ', steps, ' steps, and took ',"
            + " taken) FROM (SELECT c.*, (SELECT COUNT(*) FROM step s WHERE s.chain = c.chain)"
            + " AS taken FROM cancelled_chain c) counted"
            + " WHERE taken > steps + IF(answered, 0, 1)");
  }

  private List<String> stepsLeftOut() {
    return database.strings(
        "SELECT CONCAT('chain ', c.chain, ' took step ', MAX(s.number), ' behind ',"
            + " COUNT(*) - 1, ' others') FROM cancelled_chain c JOIN step s ON s.chain = c.chain"
            + " GROUP BY c.chain HAVING MAX(s.number) <> COUNT(*)");
  }
}
