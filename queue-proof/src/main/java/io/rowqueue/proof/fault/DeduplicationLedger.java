package io.rowqueue.proof.fault;

import io.rowqueue.enqueue.Offer;
import io.rowqueue.proof.fault.plugin.Keyed;
import io.rowqueue.testkit.QueueDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The books of keys that are held while their message lives, or waits: what was offered under them,
 * how it was answered, and what there was to be seen of the one before, in the transaction that
 * offered it. Whoever has offered holds the key until his commit, so that the order of these rows
 * is that of commits, and no clock is asked. Whether what was accepted comes to something is what
 * {@link Ledger} keeps. Thread-safe.
 *
 * <p>Redriven dead letters ask nobody: they may live beside another message of their key.
 */
final class DeduplicationLedger implements Books {

  /** So few that most are held when they come again. */
  private static final int KEYS = 3;

  /** What has not been claimed, or waits for its next attempt. */
  private static final String WAITS = "state IN (0, 2, 3, 4)";

  private static final String BEFORE =
      "SELECT k.message_id, f.message_id IS NOT NULL, m.claims FROM keyed k"
          + " LEFT JOIN effect f ON f.message_id = k.message_id"
          + " LEFT JOIN queue_message m ON m.id = k.message_id AND m."
          + WAITS
          + " WHERE k.dedup_key = ? ORDER BY k.message_id DESC LIMIT 1";

  private static final String BEHIND =
      "SELECT id, claims, "
          + WAITS
          + " FROM queue_message WHERE id ="
          + " (SELECT MAX(message_id) FROM keyed WHERE dedup_key = ? AND message_id < ?)";

  private static final String STATE = "SELECT state FROM queue_message WHERE id = ?";

  private static final String INSERT =
      "INSERT INTO keyed (topic, dedup_key, message_id, outcome, content, gone, beside, state)"
          + " VALUES (?, ?, ?, ?, ?, ?, ?, ?)";

  private final QueueDatabase database;

  DeduplicationLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE keyed (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(64) NOT"
            + " NULL, dedup_key VARCHAR(64) NOT NULL, message_id BIGINT NOT NULL, outcome"
            + " VARCHAR(16) NOT NULL, content BIGINT NOT NULL, gone BIGINT NULL, beside BIGINT"
            + " NULL, state INT NULL, KEY keyed_key (dedup_key, message_id),"
            + " KEY keyed_message (message_id))",
        "CREATE TABLE keyed_effect (message_id BIGINT NOT NULL PRIMARY KEY,"
            + " content BIGINT NOT NULL)");
    Keyed.TOPICS.forEach(topic -> keys(topic).forEach(key -> makeKey(topic, key)));
  }

  /**
   * Three who wait for a new key whose first producer rolls back meet a deadlock
   * (docs/decisions/deduplication.md). It harms nobody, and would hide others: here no key is new.
   */
  private void makeKey(String topic, String key) {
    database.execute(
        "INSERT INTO queue_deduplication (dedup_id, topic, dedup_key, version, updated_at) VALUES"
            + " (UNHEX(LEFT(SHA2(CONCAT('%1$s', CHAR(0), CONVERT('%2$s' USING utf8mb4)), 256),"
                .formatted(topic, key)
            + " 32)), '%1$s', '%2$s', 1, UTC_TIMESTAMP(6))".formatted(topic, key));
  }

  /** The keys of {@code topic}; no other topic has them. */
  static List<String> keys(String topic) {
    return IntStream.range(0, KEYS).mapToObj(number -> topic + "-" + number).toList();
  }

  /** The last message of {@code key}, before another one is offered; null if it is the first. */
  static @Nullable Holder before(Connection connection, String key) throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(BEFORE)) {
      look.setString(1, key);
      try (ResultSet row = look.executeQuery()) {
        return row.next()
            ? new Holder(row.getLong(1), row.getBoolean(2), row.getObject(3, Integer.class))
            : null;
      }
    }
  }

  /**
   * Books an offer, as late in its transaction as can be, so that a key or a message that somebody
   * else gets hold of meanwhile is seen.
   *
   * @param before what was seen before it was made
   */
  static void book(Connection connection, Keying keying, Offer offer, @Nullable Holder before)
      throws SQLException {
    long id = offer.id().value();
    boolean inserted = offer.outcome() == Offer.Outcome.INSERTED;
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, keying.topic());
      insert.setString(2, keying.key());
      insert.setLong(3, id);
      insert.setString(4, offer.outcome().name());
      insert.setLong(5, keying.content());
      insert.setObject(6, before != null && before.gone() ? before.id() : null, Types.BIGINT);
      insert.setObject(7, inserted ? beside(connection, keying, id, before) : null, Types.BIGINT);
      insert.setObject(8, inserted ? null : state(connection, id), Types.INTEGER);
      insert.executeUpdate();
    }
  }

  /**
   * The one before {@code id} that holds the key still. Where it is to wait for that, it may have
   * been claimed when the key was taken, and wait again now: only who was not claimed between the
   * two looks has waited all the time.
   */
  private static @Nullable Long beside(
      Connection connection, Keying keying, long id, @Nullable Holder before) throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(BEHIND)) {
      look.setString(1, keying.key());
      look.setLong(2, id);
      try (ResultSet row = look.executeQuery()) {
        if (!row.next()) {
          return null;
        }
        long other = row.getLong(1);
        boolean waited =
            before != null && before.hasWaited(other, row.getInt(2)) && row.getBoolean(3);
        return waited || keying.topic().equals(Keyed.ALIVE) ? other : null;
      }
    }
  }

  private static @Nullable Integer state(Connection connection, long id) throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(STATE)) {
      look.setLong(1, id);
      try (ResultSet row = look.executeQuery()) {
        return row.next() ? row.getInt(1) : null;
      }
    }
  }

  @Override
  public List<String> findings() {
    List<String> findings = new ArrayList<>();
    findings.addAll(answeredByStrangers());
    findings.addAll(answeredByTheGone());
    findings.addAll(answeredByTheClaimed());
    findings.addAll(beside());
    findings.addAll(oldContents());
    findings.addAll(livedBeside());
    return findings;
  }

  @Override
  public List<String> unused() {
    List<String> unused = new ArrayList<>();
    for (String topic : Keyed.TOPICS) {
      unused.addAll(
          Books.unusedIf(
              database,
              "offers of %s whose key was held".formatted(topic),
              "SELECT COUNT(*) FROM keyed WHERE topic = '%s' AND outcome <> 'INSERTED'"
                  .formatted(topic)));
      unused.addAll(
          Books.unusedIf(
              database,
              "keys of %s that were free again".formatted(topic),
              "SELECT COUNT(*) FROM (SELECT dedup_key FROM keyed WHERE topic = '%s'"
                      .formatted(topic)
                  + " AND outcome = 'INSERTED' GROUP BY dedup_key HAVING COUNT(*) > 1) again"));
    }
    return unused;
  }

  /** Whoever is told of a message may rely on it: it is one of that key, and was committed. */
  private List<String> answeredByStrangers() {
    return database.strings(
        "SELECT CONCAT('offer ', k.seq, ' was answered with message ', k.message_id, ', which is"
            + " none of ', k.dedup_key) FROM keyed k LEFT JOIN enqueued e ON e.message_id ="
            + " k.message_id AND e.dedup_key = k.dedup_key WHERE e.message_id IS NULL");
  }

  /** What is over holds no key: whoever is left out for it is lost. */
  private List<String> answeredByTheGone() {
    return database.strings(
        "SELECT CONCAT('offer ', seq, ' of ', dedup_key, ' was answered with message ', message_id,"
            + " ', and ', gone, ' was gone') FROM keyed"
            + " WHERE outcome <> 'INSERTED' AND message_id <= gone");
  }

  /** Until the commit nobody claims it: its handler sees all that was written with the offer. */
  private List<String> answeredByTheClaimed() {
    return database.strings(
        "SELECT CONCAT('offer ', seq, ' of ', dedup_key, ' was answered with message ', message_id,"
            + " ', which does not wait but is in state ', COALESCE(state, 'gone')) FROM keyed"
            + " WHERE outcome <> 'INSERTED' AND topic <> '%s' AND NOT COALESCE(%s, FALSE)"
                .formatted(Keyed.ALIVE, WAITS));
  }

  private List<String> beside() {
    return database.strings(
        "SELECT CONCAT('message ', message_id, ' of ', dedup_key, ' came while ', beside, ' held"
            + " the key') FROM keyed WHERE beside IS NOT NULL"
            + " AND beside NOT IN (SELECT message_id FROM redriven)");
  }

  /** What was replaced waited then, so that whoever handled it claimed it later. */
  private List<String> oldContents() {
    return database.strings(
        "SELECT CONCAT('message ', f.message_id, ' took effect with content ',"
            + " COALESCE(t.content, 'none'), ', and the last one committed was ', l.content)"
            + " FROM effect f JOIN (SELECT message_id, content, ROW_NUMBER() OVER (PARTITION BY"
            + " message_id ORDER BY seq DESC) AS place FROM keyed WHERE outcome <> 'DUPLICATE') l"
            + " ON l.message_id = f.message_id AND l.place = 1"
            + " LEFT JOIN keyed_effect t ON t.message_id = f.message_id"
            + " WHERE NOT t.content <=> l.content");
  }

  /** Effects are numbered as they begin: that of a life behind another is behind it, too. */
  private List<String> livedBeside() {
    return database.strings(
        "SELECT CONCAT('message ', id, ' of ', dedup_key, ' took effect behind ', later) FROM"
            + " (SELECT k.dedup_key, k.message_id AS id, f.seq, LEAD(f.seq) OVER in_key AS next,"
            + " LEAD(k.message_id) OVER in_key AS later FROM keyed k"
            + " JOIN effect f ON f.message_id = k.message_id WHERE k.topic = '%s'"
                .formatted(Keyed.ALIVE)
            + " AND k.outcome = 'INSERTED'"
            + " AND k.message_id NOT IN (SELECT message_id FROM redriven)"
            + " WINDOW in_key AS (PARTITION BY k.dedup_key ORDER BY k.message_id)) lives"
            + " WHERE next < seq");
  }

  /**
   * The last message of a key as it was seen.
   *
   * @param gone whether its effect was committed
   * @param claims how often it had been claimed, if it waited; else null
   */
  record Holder(long id, boolean gone, @Nullable Integer claims) {

    private boolean hasWaited(long other, int claimsNow) {
      return id == other && claims != null && claims == claimsNow;
    }
  }

  /**
   * What is offered under a key.
   *
   * @param content another one each time
   */
  record Keying(String topic, String key, long content) {}
}
