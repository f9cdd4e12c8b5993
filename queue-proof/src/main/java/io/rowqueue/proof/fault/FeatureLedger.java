package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.enqueue.Offer;
import io.rowqueue.enqueue.Publication;
import io.rowqueue.message.NewMessage;
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
 * The books of what stands beside messages: keys under which they are enqueued once, copies,
 * results, firings of a schedule, bodies; and those of lines, limits, batches and others.
 * Thread-safe.
 */
final class FeatureLedger implements Books {

  private final QueueDatabase database;
  private final LineLedger lines;
  private final LimitLedger limits;
  private final AwaitedLedger awaited;
  private final CancelLedger cancels;
  private final SubscriptionLedger subscriptions;
  private final BatchCancelLedger batchCancels;
  private final ScheduleLedger schedules;
  private final StreamLedger streams;
  private final List<Books> others;

  FeatureLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE offered (dedup_key VARCHAR(64) NOT NULL PRIMARY KEY)",
        "CREATE TABLE tick (second BIGINT NOT NULL PRIMARY KEY)");
    this.lines = new LineLedger(database);
    this.limits = new LimitLedger(database);
    this.awaited = new AwaitedLedger(database);
    this.cancels = new CancelLedger(database);
    this.subscriptions = new SubscriptionLedger(database);
    this.batchCancels = new BatchCancelLedger(database);
    this.schedules = new ScheduleLedger(database);
    this.streams = new StreamLedger(database);
    this.others =
        List.of(
            lines,
            limits,
            awaited,
            cancels,
            subscriptions,
            streams,
            new CounterLedger(database),
            new DeduplicationLedger(database),
            new PartLedger(database),
            new BatchLedger(database),
            batchCancels,
            schedules,
            new ChangeLedger(database));
  }

  /** Those of lines. */
  LineLedger lines() {
    return lines;
  }

  /** Those of limits. */
  LimitLedger limits() {
    return limits;
  }

  /** Those of awaited results. */
  AwaitedLedger awaited() {
    return awaited;
  }

  /** Those of messages that are cancelled. */
  CancelLedger cancels() {
    return cancels;
  }

  /** Those of batches and chains that are cancelled. */
  BatchCancelLedger batchCancels() {
    return batchCancels;
  }

  /** Those of schedules that leave out what was missed, or make up for it once. */
  ScheduleLedger schedules() {
    return schedules;
  }

  /** Those of a subscription that comes and goes. */
  SubscriptionLedger subscriptions() {
    return subscriptions;
  }

  /** Those of streams, and of what is left of payloads. */
  StreamLedger streams() {
    return streams;
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

  /** No firing begins, once it returns. */
  void stopTicks() {
    Schedules.of(Transactions.on(database.dataSource())).pause(Deed.TICK);
    schedules.stop();
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(keysNotOnce());
    findings.addAll(resultsApart());
    findings.addAll(ticksMissed());
    findings.addAll(bodiesLost());
    findings.addAll(sealsBroken());
    others.forEach(books -> findings.addAll(books.findings()));
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    unusedIf(unused, "firings", "SELECT COUNT(*) FROM tick");
    unusedIf(unused, "results", "SELECT COUNT(*) FROM queue_result");
    unusedIf(unused, "copies", "SELECT COUNT(*) FROM enqueued WHERE topic LIKE 'fault.copy%'");
    unusedIf(unused, "keys", "SELECT COUNT(*) FROM offered");
    unused.addAll(Books.unusedTopic(database, "sealed payloads", Deed.SEALED));
    unused.addAll(Books.unusedTopic(database, "longer timeouts", Deed.LONG));
    unusedIf(
        unused,
        "bodies beside rows",
        "SELECT COUNT(*) FROM enqueued WHERE filler >= %d AND filler < %d"
            .formatted(Mix.LARGE_FROM, Producer.STORED_FROM));
    unusedIf(
        unused,
        "bodies outside",
        "SELECT COUNT(*) FROM enqueued WHERE filler >= " + Producer.STORED_FROM);
    others.forEach(books -> unused.addAll(books.unused()));
    return unused;
  }

  private void unusedIf(List<String> unused, String what, String query) {
    unused.addAll(Books.unusedIf(database, what, query));
  }

  /** A key that was offered in a committed transaction is that of one message, and of one only. */
  private List<String> keysNotOnce() {
    return database.strings(
        "SELECT CONCAT('key ', o.dedup_key, ' was enqueued under ', COUNT(e.message_id), ' times')"
            + " FROM offered o LEFT JOIN enqueued e ON e.dedup_key = o.dedup_key"
            + " GROUP BY o.dedup_key HAVING COUNT(e.message_id) <> 1");
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
            + " JOIN enqueued e ON e.message_id = d.id AND e.filler >= %d".formatted(Mix.LARGE_FROM)
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
}
