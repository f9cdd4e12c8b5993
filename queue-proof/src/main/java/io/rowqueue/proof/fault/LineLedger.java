package io.rowqueue.proof.fault;

import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.order.AfterDeadLetter;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;

/**
 * The books of lines: messages of a key take effect in the order of their commits, also where a
 * dead letter holds its line until it is redriven. Thread-safe.
 */
final class LineLedger implements Books {

  /** Dead letters that hold their lines: somebody must redrive them, or they are held for good. */
  static final String HELD =
      "SELECT id FROM queue_dead_letter WHERE topic = '%s'".formatted(Deed.HELD);

  /** Topics whose dead letters leave their lines; a former name has lines of its own. */
  static final List<String> SET_ASIDE = List.of(Deed.ORDERED, Deed.FORMERLY);

  private final QueueDatabase database;
  private final DeadLetters deadLetters;

  LineLedger(QueueDatabase database) {
    this.database = database;
    Transactions transactions = Transactions.on(database.dataSource());
    this.deadLetters = DeadLetters.of(transactions);
    database.execute(
        "CREATE TABLE redriven (message_id BIGINT NOT NULL PRIMARY KEY)",
        "CREATE TABLE mended (message_id BIGINT NOT NULL PRIMARY KEY)");
    Topics topics = Topics.of(transactions);
    // The dead letters of these would hold their lines, and nobody mends them.
    SET_ASIDE.forEach(topic -> topics.afterDeadLetter(new Topic(topic), AfterDeadLetter.SET_ASIDE));
    topics.afterDeadLetter(new Topic(Deed.HELD), AfterDeadLetter.HOLD);
    Mix.lines().forEach(line -> makeHead(Deed.ORDERED, line));
    Mix.heldLines().forEach(line -> makeHead(Deed.HELD, line));
    Mix.wideLines().forEach(line -> makeHead(Deed.WIDE, line));
    makeHead(Deed.WIDE, LimitLedger.BURST_KEY);
    Mix.formerLines().forEach(line -> makeHead(Deed.FORMERLY, line));
  }

  /**
   * Two workers that make the head of a new line while a third, which is killed, takes its own back
   * meet a deadlock (docs/handlers.md, In order). It runs again and harms nobody, and would hide
   * others: here no line is new.
   */
  private void makeHead(String topic, String line) {
    database.execute(
        "INSERT INTO queue_order_head (order_id, topic, ordering_key, version, updated_at) VALUES"
            + " (UNHEX(LEFT(SHA2(CONCAT('%1$s', CHAR(0), CONVERT('%2$s' USING utf8mb4)), 256),"
                .formatted(topic, line)
            + " 32)), '%1$s', '%2$s', 0, UTC_TIMESTAMP(6))".formatted(topic, line));
  }

  /** Before an operator redrives {@code ids}: they come next in their lines, out of order. */
  static void bookRedrives(QueueDatabase database, List<MessageId> ids) {
    ids.forEach(
        id -> database.execute("INSERT IGNORE INTO redriven VALUES (%d)".formatted(id.value())));
  }

  /** Redrives every dead letter that holds its line; they are handled before all behind them. */
  void mend() {
    List<String> held = database.strings(HELD + " ORDER BY id LIMIT 50");
    for (String id : held) {
      database.execute("INSERT IGNORE INTO mended VALUES (%s)".formatted(id));
    }
    int unused =
        deadLetters.redriveAll(held.stream().map(id -> new MessageId(Long.parseLong(id))).toList());
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(outOfLine());
    findings.addAll(leftInLines());
    findings.addAll(leftHeld());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>(Books.unusedTopic(database, "lines", Deed.ORDERED));
    unused.addAll(
        Books.unusedIf(
            database,
            "lines under a former name",
            "SELECT COUNT(*) FROM enqueued WHERE topic = '%s' AND line IS NOT NULL"
                .formatted(Deed.FORMERLY)));
    unused.addAll(Books.unusedIf(database, "dead letters in lines", "SELECT COUNT(*) FROM mended"));
    return unused;
  }

  /**
   * One producer commits one transaction after another, so the order of ids is that of commits.
   * Where dead letters are set aside, those that come back are out of it; where they hold their
   * line, they are not.
   */
  private List<String> outOfLine() {
    return database.strings(
        "SELECT CONCAT('message ', id, ' of ', line, ' was handled behind ', earlier) FROM"
            + " (SELECT e.message_id AS id, e.line, LAG(e.message_id) OVER"
            + " (PARTITION BY e.topic, e.line ORDER BY f.seq) AS earlier"
            + " FROM enqueued e JOIN effect f ON f.message_id = e.message_id"
            + " WHERE e.line IS NOT NULL AND (e.topic = '%s' OR (e.topic IN ('%s') AND"
                .formatted(Deed.HELD, String.join("', '", SET_ASIDE))
            + " e.message_id NOT IN (SELECT message_id FROM redriven)))) in_line"
            + " WHERE earlier > id");
  }

  private List<String> leftInLines() {
    return database.strings(
        "SELECT CONCAT('message ', o.message_id, ' is gone and stands in its line') FROM"
            + " queue_order o LEFT JOIN queue_message m ON m.id = o.message_id"
            + " WHERE m.id IS NULL");
  }

  private List<String> leftHeld() {
    return database.strings(
        "SELECT CONCAT('dead letter ', id, ' holds its line still') FROM (" + HELD + ") held");
  }
}
