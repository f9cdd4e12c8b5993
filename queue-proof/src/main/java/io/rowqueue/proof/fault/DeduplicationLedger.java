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
 * how it was answered, and what there was to be seen of the one before, booked in the transaction
 * that offered it. Whoever has offered holds the key until his commit, so that the order of these
 * rows is that of commits, and no clock is asked. Whether what was accepted comes to something is
 * what {@link Ledger} keeps. Thread-safe.
 *
 * <p>Redriven dead letters ask nobody: they may live beside another message of their key.
 */
final class DeduplicationLedger implements Books {

  /** The outcome of what was not let in, with all of its call. */
  static final String REFUSED = "REFUSED";

  /** So few that most are held when they come again. */
  private static final int KEYS = 3;

  private static final String NEW = "-new-";

  /** What has not been claimed, or waits for its next attempt. */
  private static final String WAITS = "state IN (0, 2, 3, 4)";

  /** Keys are held until their messages have left the queue, claimed or not. */
  private static final String LIVES =
      "topic IN ('%s')".formatted(String.join("', '", Keyed.LIVING));

  private static final String BEFORE =
      "SELECT k.message_id, f.message_id IS NOT NULL, m.claims FROM keyed k"
          + " LEFT JOIN effect f ON f.message_id = k.message_id"
          + " LEFT JOIN queue_message m ON m.id = k.message_id AND m."
          + WAITS
          + " WHERE k.dedup_key = ? ORDER BY k.message_id DESC LIMIT 1";

  private static final String LAST_BEHIND =
      "SELECT MAX(message_id) FROM keyed WHERE dedup_key = ? AND message_id < ?";

  private static final String HOLDS =
      "SELECT claims, " + WAITS + " FROM queue_message WHERE id = ?";

  /**
   * A snapshot does not know whether one waits still. Whoever is being claimed is passed over: to
   * wait for him might be to hold up what he waits for.
   */
  private static final String BY_NOW = " FOR UPDATE SKIP LOCKED";

  private static final String STATE = "SELECT state FROM queue_message WHERE id = ?";

  private static final String INSERT =
      "INSERT INTO keyed (topic, dedup_key, message_id, outcome, content, gone, beside, state,"
          + " fresh, in_snapshot) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

  private final QueueDatabase database;

  DeduplicationLedger(QueueDatabase database) {
    this.database = database;
    database.execute(
        "CREATE TABLE keyed (seq BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY, topic VARCHAR(64) NOT"
            + " NULL, dedup_key VARCHAR(64) NOT NULL, message_id BIGINT NOT NULL, outcome"
            + " VARCHAR(16) NOT NULL, content BIGINT NOT NULL, gone BIGINT NULL, beside BIGINT"
            + " NULL, state INT NULL, fresh TINYINT NOT NULL DEFAULT 0,"
            + " in_snapshot TINYINT NOT NULL DEFAULT 0, KEY keyed_key (dedup_key, message_id),"
            + " KEY keyed_message (message_id))",
        "CREATE TABLE keyed_effect (message_id BIGINT NOT NULL PRIMARY KEY,"
            + " content BIGINT NOT NULL)");
    Keyed.TOPICS.forEach(topic -> keys(topic).forEach(key -> makeKey(topic, key)));
  }

  /**
   * Three who wait for a new key whose first producer rolls back meet a deadlock
   * (docs/decisions/deduplication.md). It harms nobody, and would hide others: here no key is new
   * but those of a {@link Meeting}, which two have at most, and each of them once.
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

  /** A key of {@code topic} that nobody else has but who was given the same {@code number}. */
  static String newKey(String topic, long number) {
    return topic + NEW + number;
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
   * Books an answer, as late in its transaction as can be, so that a key or a message that somebody
   * else gets hold of meanwhile is seen.
   *
   * <p>What a snapshot says will do where keys are held while messages live, since it decides
   * there; and it knows what the transaction itself has written.
   */
  static void book(Connection connection, Answer answer) throws SQLException {
    Holder before = answer.before();
    boolean inserted = answer.outcome().equals(Offer.Outcome.INSERTED.name());
    try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
      insert.setString(1, answer.keying().topic());
      insert.setString(2, answer.keying().key());
      insert.setLong(3, answer.id());
      insert.setString(4, answer.outcome());
      insert.setLong(5, answer.keying().content());
      insert.setObject(6, before != null && before.gone() ? before.id() : null, Types.BIGINT);
      insert.setObject(7, inserted ? beside(connection, answer) : null, Types.BIGINT);
      insert.setObject(8, inserted ? null : state(connection, answer.id()), Types.INTEGER);
      insert.setBoolean(9, before == null);
      insert.setBoolean(10, answer.inSnapshot());
      insert.executeUpdate();
    }
  }

  /**
   * The one before that holds the key still. Where it is to wait for that, it may have been claimed
   * when the key was taken, and wait again now: only who was not claimed between the two looks has
   * waited all the time.
   */
  private static @Nullable Long beside(Connection connection, Answer answer) throws SQLException {
    Long other = lastBehind(connection, answer);
    if (other == null) {
      return null;
    }
    boolean lives = Keyed.LIVING.contains(answer.keying().topic());
    String sql = answer.inSnapshot() && !lives ? HOLDS + BY_NOW : HOLDS;
    try (PreparedStatement look = connection.prepareStatement(sql)) {
      look.setLong(1, other);
      try (ResultSet row = look.executeQuery()) {
        return row.next() && (lives || answer.hasWaited(other, row.getInt(1), row.getBoolean(2)))
            ? other
            : null;
      }
    }
  }

  private static @Nullable Long lastBehind(Connection connection, Answer answer)
      throws SQLException {
    try (PreparedStatement look = connection.prepareStatement(LAST_BEHIND)) {
      look.setString(1, answer.keying().key());
      look.setLong(2, answer.id());
      try (ResultSet row = look.executeQuery()) {
        return row.next() ? row.getObject(1, Long.class) : null;
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
    String inSnapshot =
        "SELECT COUNT(*) FROM keyed WHERE in_snapshot AND outcome <> 'INSERTED' AND ";
    unused.addAll(
        Books.unusedIf(
            database, "living messages with keys in REPEATABLE READ", inSnapshot + LIVES));
    unused.addAll(
        Books.unusedIf(
            database,
            "waiting messages with keys in REPEATABLE READ",
            inSnapshot + "NOT " + LIVES));
    unused.addAll(
        Books.unusedIf(
            database,
            "new keys that two offered at one time",
            "SELECT COUNT(*) FROM keyed WHERE fresh AND outcome <> 'INSERTED'"
                + " AND dedup_key LIKE '%%%s%%'".formatted(NEW)));
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
            + " WHERE outcome <> 'INSERTED' AND NOT %s AND NOT COALESCE(%s, FALSE)"
                .formatted(LIVES, WAITS));
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
        "SELECT CONCAT('message ', f.message_id, ' took effect with content ', COALESCE(t.content,"
            + " 'none'), ', and the last one committed was ', l.content) FROM effect f JOIN (SELECT"
            + " message_id, content, ROW_NUMBER() OVER (PARTITION BY message_id ORDER BY seq DESC)"
            + " AS place FROM keyed WHERE outcome IN ('INSERTED', 'REPLACED')) l ON l.message_id ="
            + " f.message_id AND l.place = 1 LEFT JOIN keyed_effect t ON t.message_id ="
            + " f.message_id WHERE NOT t.content <=> l.content");
  }

  /** Effects are numbered as they begin: that of a life behind another is behind it, too. */
  private List<String> livedBeside() {
    return database.strings(
        "SELECT CONCAT('message ', id, ' of ', dedup_key, ' took effect behind ', later) FROM"
            + " (SELECT k.dedup_key, k.message_id AS id, f.seq, LEAD(f.seq) OVER in_key AS next,"
            + " LEAD(k.message_id) OVER in_key AS later FROM keyed k"
            + " JOIN effect f ON f.message_id = k.message_id WHERE k.%s".formatted(LIVES)
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
  record Holder(long id, boolean gone, @Nullable Integer claims) {}

  /**
   * What came of an offer.
   *
   * @param outcome the name of {@link Offer.Outcome}, or {@link #REFUSED}
   * @param id the message that it was answered with
   * @param before what was seen before it was made
   * @param inSnapshot whether it was made in REPEATABLE READ
   */
  record Answer(
      Keying keying, String outcome, long id, @Nullable Holder before, boolean inSnapshot) {

    private boolean hasWaited(long other, int claims, boolean waits) {
      return waits
          && before != null
          && other == before.id()
          && before.claims() != null
          && before.claims() == claims;
    }
  }

  /**
   * What is offered under a key.
   *
   * @param content another one each time
   */
  record Keying(String topic, String key, long content) {}
}
