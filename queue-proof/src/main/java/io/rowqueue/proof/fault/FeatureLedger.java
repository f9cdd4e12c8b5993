package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.enqueue.Publication;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.proof.fault.Ledger.Entry;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.schedule.Schedules;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The books of what stands beside messages: keys under which they are enqueued once, lines, copies,
 * results, firings of a schedule, bodies; and those of {@link BatchLedger}. Thread-safe.
 */
final class FeatureLedger {

  private final QueueDatabase database;
  private final BatchLedger batches;

  FeatureLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE offered (dedup_key VARCHAR(64) NOT NULL PRIMARY KEY)",
        "CREATE TABLE redriven (message_id BIGINT NOT NULL PRIMARY KEY)",
        "CREATE TABLE tick (second BIGINT NOT NULL PRIMARY KEY)");
    makeHeads();
    this.batches = new BatchLedger(database);
    Topics topics = Topics.of(Transactions.on(database.dataSource()));
    // A dead letter would hold its line, and the queue would never be empty.
    topics.afterDeadLetter(new Topic(Deed.ORDERED), AfterDeadLetter.SET_ASIDE);
    topics.limitInFlight(new Topic(Deed.LIMITED), Deed.MOST_LIMITED);
    topics.limitDepth(new Topic(Deed.LIMITED), Deed.MOST_DEEP);
  }

  /**
   * Two workers that make the head of a new line while a third, which is killed, takes its own back
   * meet a deadlock (docs/handlers.md, In order). It runs again and harms nobody, and would hide
   * others: here no line is new.
   */
  private void makeHeads() {
    for (String line : Mix.lines()) {
      database.execute(
          "INSERT INTO queue_order_head (order_id, topic, ordering_key, version, updated_at) VALUES"
              + " (UNHEX(LEFT(SHA2(CONCAT('%1$s', CHAR(0), CONVERT('%2$s' USING utf8mb4)), 256),"
                  .formatted(Deed.ORDERED, line)
              + " 32)), '%1$s', '%2$s', 0, UTC_TIMESTAMP(6))".formatted(Deed.ORDERED, line));
    }
  }

  /** Notes the keys of {@code messages}, be they duplicates, in the producer's transaction. */
  static void offer(Connection connection, Collection<NewMessage> messages) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT IGNORE INTO offered VALUES (?)")) {
      for (NewMessage message : messages) {
        if (message.deduplication() != null) {
          insert.setString(1, message.deduplication().key());
          insert.addBatch();
        }
      }
      insert.executeBatch();
    }
  }

  /** Those of {@code messages} that became rows: duplicates did not. */
  static List<Entry> entries(List<NewMessage> messages, List<Offer> offers) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      if (offers.get(i).outcome() == Offer.Outcome.INSERTED) {
        NewMessage message = messages.get(i);
        entries.add(Entry.of(offers.get(i).id(), message.topic().toString(), message));
      }
    }
    return entries;
  }

  /** Every copy of what was published. */
  static List<Entry> copies(List<NewMessage> messages, List<Publication> publications) {
    List<Entry> entries = new ArrayList<>();
    for (int i = 0; i < messages.size(); i++) {
      NewMessage message = messages.get(i);
      publications
          .get(i)
          .copies()
          .forEach((topic, id) -> entries.add(Entry.of(id, topic.toString(), message)));
    }
    return entries;
  }

  /** Before an operator redrives {@code ids}: they come next in their lines, out of order. */
  static void bookRedrives(QueueDatabase database, List<MessageId> ids) {
    ids.forEach(
        id -> database.execute("INSERT IGNORE INTO redriven VALUES (%d)".formatted(id.value())));
  }

  /** No firing begins, once it returns. */
  void stopTicks() {
    Schedules.of(Transactions.on(database.dataSource())).pause(Deed.TICK);
  }

  /** What of it is broken; empty if nothing is. */
  List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(keysNotOnce());
    findings.addAll(outOfLine());
    findings.addAll(resultsApart());
    findings.addAll(ticksMissed());
    findings.addAll(leftInLines());
    findings.addAll(bodiesLost());
    findings.addAll(sealsBroken());
    findings.addAll(batches.findings());
    return findings;
  }

  /** What a run has not shown, since nothing of it happened; empty if everything did. */
  List<String> unused() {
    List<String> unused = new ArrayList<>();
    unusedIf(unused, "firings", "SELECT COUNT(*) FROM tick");
    unusedIf(unused, "results", "SELECT COUNT(*) FROM queue_result");
    unusedIf(unused, "lines", "SELECT COUNT(*) FROM enqueued WHERE line IS NOT NULL");
    unusedIf(unused, "copies", "SELECT COUNT(*) FROM enqueued WHERE topic LIKE 'fault.copy%'");
    unusedIf(unused, "keys", "SELECT COUNT(*) FROM offered");
    unusedIf(
        unused,
        "limits",
        "SELECT COUNT(*) FROM enqueued WHERE topic = '%s'".formatted(Deed.LIMITED));
    unusedIf(
        unused,
        "sealed payloads",
        "SELECT COUNT(*) FROM enqueued WHERE topic = '%s'".formatted(Deed.SEALED));
    unusedIf(
        unused,
        "longer timeouts",
        "SELECT COUNT(*) FROM enqueued WHERE topic = '%s'".formatted(Deed.LONG));
    unusedIf(
        unused,
        "bodies beside rows",
        "SELECT COUNT(*) FROM enqueued WHERE filler > 0 AND filler < " + Producer.STORED_FROM);
    unusedIf(
        unused,
        "bodies outside",
        "SELECT COUNT(*) FROM enqueued WHERE filler >= " + Producer.STORED_FROM);
    unusedIf(unused, "batches", "SELECT COUNT(*) FROM completed");
    unusedIf(unused, "chains", "SELECT COUNT(*) FROM step");
    return unused;
  }

  private void unusedIf(List<String> unused, String what, String query) {
    if (database.count(query) == 0) {
      unused.add("there were no " + what + ", so that nothing is shown of them");
    }
  }

  /** A key that was offered in a committed transaction is that of one message, and of one only. */
  private List<String> keysNotOnce() {
    return database.strings(
        "SELECT CONCAT('key ', o.dedup_key, ' was enqueued under ', COUNT(e.message_id), ' times')"
            + " FROM offered o LEFT JOIN enqueued e ON e.dedup_key = o.dedup_key"
            + " GROUP BY o.dedup_key HAVING COUNT(e.message_id) <> 1");
  }

  /** One producer commits one transaction after another, so the order of ids is that of commits. */
  private List<String> outOfLine() {
    return database.strings(
        "SELECT CONCAT('message ', id, ' of ', line, ' was handled behind ', earlier) FROM"
            + " (SELECT e.message_id AS id, e.line, LAG(e.message_id) OVER"
            + " (PARTITION BY e.line ORDER BY f.seq) AS earlier"
            + " FROM enqueued e JOIN effect f ON f.message_id = e.message_id"
            + " WHERE e.line IS NOT NULL AND e.message_id NOT IN (SELECT message_id FROM redriven))"
            + " in_line WHERE earlier > id");
  }

  /** A result is there exactly where its handler's effect is. */
  private List<String> resultsApart() {
    return database.strings(
        "SELECT CONCAT('message ', f.message_id, ' took effect without its result') FROM effect f"
            + " JOIN enqueued e ON e.message_id = f.message_id LEFT JOIN queue_result r"
            + " ON r.message_id = f.message_id AND r.content = CAST(f.claim AS CHAR)"
            + " WHERE e.topic = '%1$s' AND r.message_id IS NULL".formatted(Deed.RESULT)
            + " UNION ALL SELECT CONCAT('message ', r.message_id, ' has a result without effect')"
            + " FROM queue_result r LEFT JOIN effect f ON f.message_id = r.message_id"
            + " WHERE r.topic = '%1$s' AND f.message_id IS NULL".formatted(Deed.RESULT));
  }

  /** Every second from the first to the last; the primary key sees to it that none came twice. */
  private List<String> ticksMissed() {
    return database.strings(
        "SELECT CONCAT(MAX(second) - MIN(second) + 1 - COUNT(*), ' firings are missing of ',"
            + " MAX(second) - MIN(second) + 1) FROM tick"
            + " HAVING MAX(second) - MIN(second) + 1 <> COUNT(*)");
  }

  /** A dead letter may come back, and has its body, or what leads to it outside. */
  private List<String> bodiesLost() {
    return database.strings(
        "SELECT CONCAT('dead letter ', d.id, ' has lost its body') FROM queue_dead_letter d"
            + " JOIN enqueued e ON e.message_id = d.id AND e.filler > 0 AND e.topic <> '%s'"
                .formatted(Deed.SEALED)
            + " LEFT JOIN queue_body b ON b.message_id = d.id AND b.last = 1"
            + " LEFT JOIN queue_stored_body s ON s.message_id = d.id"
            + " WHERE b.message_id IS NULL AND s.message_id IS NULL"
            + " UNION ALL SELECT CONCAT('dead letter ', id, ' was said to have no body')"
            + " FROM queue_dead_letter WHERE reason = 'body-missing'");
  }

  /** Everybody has the key, and wraps: nothing is the worse for a fault in between. */
  private List<String> sealsBroken() {
    return database.strings(
        "SELECT CONCAT('dead letter ', id, ' was sealed, and is said to be ', reason)"
            + " FROM queue_dead_letter WHERE topic = '%s'".formatted(Deed.SEALED)
            + " AND reason IN ('undecodable', 'not-wrapped', 'unreadable')");
  }

  private List<String> leftInLines() {
    return database.strings(
        "SELECT CONCAT('message ', o.message_id, ' is gone and stands in its line') FROM"
            + " queue_order o LEFT JOIN queue_message m ON m.id = o.message_id"
            + " WHERE m.id IS NULL");
  }
}
