package io.rowqueue.proof.fault;

import io.rowqueue.batch.MessageBatch;
import io.rowqueue.enqueue.BatchProducer;
import io.rowqueue.enqueue.ChainProducer;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.BatchSettings;
import io.rowqueue.message.Chain;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.proof.fault.plugin.Step;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * The books of batches and chains: each batch completes once, by the commit that settles its last
 * member; each step of a chain is taken once, behind the one before. Thread-safe.
 */
final class BatchLedger implements Books {

  static final int STEPS = 3;

  /** So few that two threads meet in one now and then. */
  private static final int LEAVES = 4;

  /** How many members of the batch {@code b} have an effect or are in a place, each once. */
  private static final String SOMEWHERE =
      """
      (SELECT COUNT(*) FROM batch_member m WHERE m.batch_id = b.batch_id
        AND (EXISTS (SELECT 1 FROM effect f WHERE f.message_id = m.message_id)
          OR EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = m.message_id)
          OR EXISTS (SELECT 1 FROM queue_message q WHERE q.id = m.message_id)))
      """;

  private final QueueDatabase database;

  BatchLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE batched (batch_id BIGINT NOT NULL PRIMARY KEY, members INT NOT NULL)",
        "CREATE TABLE batch_member (message_id BIGINT NOT NULL PRIMARY KEY,"
            + " batch_id BIGINT NOT NULL, KEY batch_member_batch (batch_id))",
        "CREATE TABLE completed (batch_id BIGINT NOT NULL PRIMARY KEY,"
            + " counts VARCHAR(128) NOT NULL, effects INT NOT NULL, added INT NOT NULL)",
        "CREATE TABLE chained (chain VARCHAR(64) NOT NULL PRIMARY KEY)",
        "CREATE TABLE step (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " chain VARCHAR(64) NOT NULL, number INT NOT NULL,"
            + " UNIQUE KEY step_once (chain, number))");
  }

  /** A batch of {@code members}, noted in the transaction that enqueues it. */
  static Enqueued enqueueBatch(
      Connection connection, MessageProducer queue, List<NewMessage> members) throws SQLException {
    BatchProducer batches = BatchProducer.over(queue);
    MessageBatch batch =
        batches.open(
            connection,
            BatchSettings.defaults()
                .withLeaves(LEAVES)
                .completingWith(NewMessage.of(Deed.COMPLETED, "")));
    List<MessageId> ids = batches.add(connection, batch, members);
    if (!batches.seal(connection, batch)) {
      throw new IllegalStateException("a batch of this transaction was sealed by somebody else");
    }
    book(connection, batch, ids);
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < ids.size(); i++) {
      entries.add(Entry.of(ids.get(i), members.get(i).topic().name(), members.get(i)));
    }
    return new Enqueued(batch.id(), entries);
  }

  /** A batch, and what it is of. */
  record Enqueued(long batch, List<Entry> members) {}

  private static void book(Connection connection, MessageBatch batch, List<MessageId> members)
      throws SQLException {
    try (PreparedStatement insert =
            connection.prepareStatement("INSERT INTO batched VALUES (?, ?)");
        PreparedStatement each =
            connection.prepareStatement("INSERT INTO batch_member VALUES (?, ?)")) {
      insert.setLong(1, batch.id());
      insert.setInt(2, members.size());
      insert.executeUpdate();
      for (MessageId member : members) {
        each.setLong(1, member.value());
        each.setLong(2, batch.id());
        each.addBatch();
      }
      each.executeBatch();
    }
  }

  /**
   * A chain, noted in the transaction that enqueues its first step.
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
    try (PreparedStatement insert = connection.prepareStatement("INSERT INTO chained VALUES (?)")) {
      insert.setString(1, name);
      insert.executeUpdate();
    }
    return new Chained(id, name);
  }

  /** A chain, by its id and as its producer calls it. */
  record Chained(long id, String name) {}

  private static NewMessage step(String chain, int number) {
    return NewMessage.of(Deed.STEP, new Step(chain, number));
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(batchesNotOnce());
    findings.addAll(countedWrong());
    findings.addAll(completedEarly());
    findings.addAll(completedBeforeTheAdded());
    findings.addAll(cancelledAndThere());
    findings.addAll(chainsNotWhole());
    findings.addAll(stepsOutOfOrder());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused =
        new ArrayList<>(Books.unusedIf(database, "batches", "SELECT COUNT(*) FROM completed"));
    unused.addAll(Books.unusedIf(database, "chains", "SELECT COUNT(*) FROM step"));
    return unused;
  }

  /** The primary key sees to it that none completes twice. */
  private List<String> batchesNotOnce() {
    return database.strings(
        "SELECT CONCAT('batch ', b.batch_id, ' of ', b.members, ' never completed') FROM batched b"
            + " LEFT JOIN completed c ON c.batch_id = b.batch_id WHERE c.batch_id IS NULL"
            + " UNION ALL SELECT CONCAT('batch ', c.batch_id, ' was never committed, and"
            + " completed') FROM completed c LEFT JOIN batched b ON b.batch_id = c.batch_id"
            + " WHERE b.batch_id IS NULL");
  }

  /** Each member counts once, as done, failed or cancelled; those that handlers add, too. */
  private List<String> countedWrong() {
    return database.strings(
        "SELECT CONCAT('batch ', batch_id, ' of ', members, ' completed with ', counts) FROM"
            + " (SELECT b.batch_id, b.members + %s AS members, c.counts, %s AS total,"
                .formatted(PartLedger.ADDED, count("total"))
            + " %s + %s + %s AS settled FROM batched b JOIN completed c"
                .formatted(count("done"), count("failed"), count("cancelled"))
            + " ON c.batch_id = b.batch_id) counted"
            + " WHERE total <> members OR settled <> members");
  }

  /** It is behind all that handlers have added: none of that fails, or goes but with its batch. */
  private List<String> completedBeforeTheAdded() {
    return database.strings(
        "SELECT CONCAT('batch ', batch_id, ' completed behind ', found, ' of ', added, ' that were"
            + " added') FROM (SELECT b.batch_id, c.added AS found, %s AS added FROM batched b"
                .formatted(PartLedger.ADDED)
            + " JOIN completed c ON c.batch_id = b.batch_id WHERE b.batch_id NOT IN"
            + " (SELECT batch_id FROM cancelled_batch)) counted WHERE found <> added");
  }

  /** What counts as cancelled has no effect and is in no place, whatever became of the others. */
  private List<String> cancelledAndThere() {
    return database.strings(
        "SELECT CONCAT('batch ', batch_id, ' of ', members, ' completed with ', counts, ', and ',"
            + " found, ' of its members are somewhere') FROM (SELECT b.batch_id, c.counts,"
            + " b.members + %s AS members, %s + %s AS found, %s AS cancelled FROM batched b"
                .formatted(PartLedger.ADDED, SOMEWHERE, PartLedger.ENDED, count("cancelled"))
            + " JOIN completed c ON c.batch_id = b.batch_id) counted"
            + " WHERE found + cancelled > members");
  }

  /**
   * What is done has taken effect before the completion, in the database or outside, or was added.
   * A redriven dead letter takes effect later, and counted as failed.
   */
  private List<String> completedEarly() {
    return database.strings(
        "SELECT CONCAT('batch ', c.batch_id, ' completed with ', c.counts, ' and ', c.effects,"
            + " ' effects, ', o.outside, ' of its members being outside') FROM completed c"
            + " JOIN (SELECT b.batch_id, SUM(e.topic = '%s') AS outside,".formatted(Deed.OUTSIDE)
            + " COUNT(r.message_id) AS redriven FROM batch_member b"
            + " JOIN enqueued e ON e.message_id = b.message_id"
            + " LEFT JOIN redriven r ON r.message_id = b.message_id GROUP BY b.batch_id) o"
            + " ON o.batch_id = c.batch_id WHERE o.redriven = 0"
            + " AND %s - c.added NOT BETWEEN c.effects AND c.effects + o.outside"
                .formatted(count("done")));
  }

  /** The number behind {@code word} in a completion's counts. */
  static String count(String word) {
    return "CAST(SUBSTRING_INDEX(SUBSTRING_INDEX(c.counts, '%s=', -1), ' ', 1) AS SIGNED)"
        .formatted(word);
  }

  /** But for those that somebody meant to cancel. */
  private List<String> chainsNotWhole() {
    return database.strings(
        "SELECT CONCAT('chain ', h.chain, ' took ', COUNT(s.seq), ' steps') FROM chained h"
            + " LEFT JOIN step s ON s.chain = h.chain WHERE h.chain NOT IN"
            + " (SELECT chain FROM cancelled_chain) GROUP BY h.chain HAVING COUNT(s.seq) <> "
            + STEPS
            + " UNION ALL SELECT CONCAT('chain ', s.chain, ' was never committed, and took step ',"
            + " s.number) FROM step s LEFT JOIN chained h ON h.chain = s.chain"
            + " WHERE h.chain IS NULL");
  }

  private List<String> stepsOutOfOrder() {
    return database.strings(
        "SELECT CONCAT('step ', a.number, ' of chain ', a.chain, ' was taken behind step ',"
            + " b.number) FROM step a JOIN step b ON b.chain = a.chain"
            + " WHERE a.number < b.number AND a.seq > b.seq");
  }
}
