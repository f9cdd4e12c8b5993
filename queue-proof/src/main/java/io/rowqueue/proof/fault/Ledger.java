package io.rowqueue.proof.fault;

import io.rowqueue.message.Deduplication;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.fault.plugin.Deed;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The books, by SQL. {@code enqueued} has a row for each message, written in the transaction that
 * enqueued it; {@code effect} one for each effect, written in the transaction that handled it;
 * {@code removed} one for each message that somebody meant to take out, by itself or with its
 * batch; {@code asked} one for each that a worker was asked to give up. Thread-safe.
 */
final class Ledger {

  private static final String PLACES =
      """
      SELECT message_id AS id, 'handled' AS place FROM effect
      UNION ALL SELECT id, 'dead letter' FROM queue_dead_letter
      UNION ALL SELECT id, ELT(state + 1, 'available', 'in flight', 'scheduled') FROM queue_message
      UNION ALL SELECT e.message_id, 'handled outside' FROM enqueued e WHERE e.topic = '%s'
        AND NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id = e.message_id)
        AND NOT EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = e.message_id)
      UNION ALL SELECT r.message_id, 'removed' FROM removed r WHERE
        NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id = r.message_id)
        AND NOT EXISTS (SELECT 1 FROM queue_dead_letter d WHERE d.id = r.message_id)
        AND NOT EXISTS (SELECT 1 FROM effect f WHERE f.message_id = r.message_id)
      """
          .formatted(Deed.OUTSIDE);

  private final QueueDatabase database;

  Ledger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE enqueued (message_id BIGINT NOT NULL PRIMARY KEY, topic VARCHAR(64) NOT NULL,"
            + " what VARCHAR(32) NOT NULL, line VARCHAR(64) NULL, dedup_key VARCHAR(64) NULL,"
            + " filler INT NOT NULL DEFAULT 0)",
        "CREATE TABLE effect (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, message_id BIGINT NOT"
            + " NULL, claim INT NOT NULL, pid BIGINT NOT NULL, KEY effect_message (message_id))",
        "CREATE TABLE removed (message_id BIGINT NOT NULL PRIMARY KEY,"
            + " stays TINYINT NOT NULL DEFAULT 0)",
        "CREATE TABLE asked (message_id BIGINT NOT NULL PRIMARY KEY)");
  }

  /** Books what {@code connection} has enqueued, in the same transaction. */
  static void book(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement(
            "INSERT INTO enqueued (message_id, topic, what, line, dedup_key, filler)"
                + " VALUES (?, ?, ?, ?, ?, ?)")) {
      for (Entry entry : entries) {
        insert.setLong(1, entry.id().value());
        insert.setString(2, entry.topic());
        insert.setString(3, entry.what().name());
        insert.setString(4, entry.line());
        insert.setString(5, entry.dedupKey());
        insert.setInt(6, entry.filler());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /** Books that an operator means to take {@code id} out; from then on it may be nowhere. */
  static void bookRemoval(QueueDatabase database, MessageId id) {
    database.execute("INSERT IGNORE INTO removed (message_id) VALUES (%d)".formatted(id.value()));
  }

  /**
   * Books in the transaction that enqueues {@code entries} that somebody means to take them out;
   * whoever else is refused does not strike that out.
   */
  static void bookRemovals(Connection connection, List<Entry> entries) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO removed (message_id, stays) VALUES (?, 1)")) {
      for (Entry entry : entries) {
        insert.setLong(1, entry.id().value());
        insert.addBatch();
      }
      insert.executeBatch();
    }
  }

  /** It was refused; but whoever asked before may have taken it out meanwhile. */
  static void strikeOutRemoval(QueueDatabase database, MessageId id) {
    database.execute(
        "DELETE FROM removed WHERE stays = 0 AND message_id = %d".formatted(id.value())
            + " AND message_id NOT IN (SELECT message_id FROM asked)");
  }

  long enqueued() {
    return database.count("SELECT COUNT(*) FROM enqueued");
  }

  /** Transactional effects. */
  long effects() {
    return database.count("SELECT COUNT(*) FROM effect");
  }

  /** Messages that somebody took out. */
  long removed() {
    return database.count("SELECT COUNT(*) FROM (" + PLACES + ") p WHERE p.place = 'removed'");
  }

  long deadLetters() {
    return database.count("SELECT COUNT(*) FROM queue_dead_letter");
  }

  /** Committed, and nowhere: the first promise. */
  List<String> lost() {
    return database.strings(
        "SELECT CONCAT('message ', e.message_id, ' of ', e.topic, ' (', e.what, ') is nowhere')"
            + " FROM enqueued e LEFT JOIN ("
            + PLACES
            + ") p ON p.id = e.message_id WHERE p.id IS NULL");
  }

  /** In two places: an effect that happened twice, or without its message's deletion. */
  List<String> doubled() {
    return database.strings(
        "SELECT CONCAT('message ', p.id, ' is ', GROUP_CONCAT(p.place)) FROM ("
            + PLACES
            + ") p GROUP BY p.id HAVING COUNT(*) > 1");
  }

  /** Rolled back or never enqueued, and there all the same. */
  List<String> strangers() {
    return database.strings(
        "SELECT CONCAT('message ', p.id, ', which nobody enqueued, is ', p.place) FROM ("
            + PLACES
            + ") p WHERE NOT EXISTS (SELECT 1 FROM enqueued e WHERE e.message_id = p.id)");
  }

  /** Failed attempts of messages that are gone. */
  List<String> strayAttempts() {
    return database.strings(
        "SELECT CONCAT('message ', a.message_id, ' is gone and its failed attempts are not') FROM"
            + " queue_attempt a WHERE NOT EXISTS (SELECT 1 FROM queue_message m WHERE m.id ="
            + " a.message_id) UNION ALL SELECT CONCAT('dead letter ', a.message_id, ' is gone and"
            + " its failed attempts are not') FROM queue_dead_letter_attempt a WHERE NOT EXISTS"
            + " (SELECT 1 FROM queue_dead_letter d WHERE d.id = a.message_id)");
  }

  /** Of a topic that nobody knows, and yet somebody has touched it. */
  List<String> touched() {
    return database.strings(
        """
        SELECT CONCAT('message ', e.message_id, ', which no worker knows, was not left alone: ',
          COALESCE(CONCAT('state ', m.state, ', claimed ', m.claims, ' times'), 'it is gone'))
        FROM enqueued e LEFT JOIN queue_message m ON m.id = e.message_id
        WHERE e.topic = '%s' AND (m.id IS NULL OR m.state <> 0 OR m.claims <> 0)
        """
            .formatted(Deed.UNKNOWN));
  }

  /**
   * What a producer knows of a message.
   *
   * @param line null without
   * @param dedupKey null without
   * @param filler how many bytes make it larger
   */
  record Entry(
      MessageId id,
      String topic,
      Deed.What what,
      @Nullable String line,
      @Nullable String dedupKey,
      int filler) {

    static Entry of(MessageId id, String topic, NewMessage message) {
      Deduplication rule = message.deduplication();
      Deed deed = (Deed) message.payload();
      return new Entry(
          id,
          topic,
          deed.what(),
          message.orderingKey(),
          rule == null ? null : rule.key(),
          deed.filler() == null ? 0 : deed.filler().length());
    }
  }
}
