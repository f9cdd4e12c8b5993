package io.rowqueue.tests.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/**
 * The books of a test, by SQL: {@code enqueued} has a row for each message, written in the
 * transaction that enqueued it; {@code effect} has a row for each effect, written in the
 * transaction that handled it. A message whose handler has no effect in the database is acked when
 * it is nowhere else.
 */
public final class Ledgers {

  private static final String PLACES =
      """
      SELECT message_id AS id, 'acked' AS place FROM effect
      UNION ALL SELECT message_id, 'acked' FROM enqueued WHERE effectless = 1
        AND message_id NOT IN (SELECT id FROM queue_message)
        AND message_id NOT IN (SELECT id FROM queue_dead_letter)
      UNION ALL SELECT id, 'dead' FROM queue_dead_letter
      UNION ALL SELECT id, CASE state WHEN 0 THEN 'available' WHEN 1 THEN 'in flight' ELSE 'scheduled' END
        FROM queue_message
      """;

  /** For messages that nobody enqueues by hand: they are entered as they are inserted. */
  public static final String BOOK_WHAT_FIRES =
      "CREATE TRIGGER book_what_fires AFTER INSERT ON queue_message FOR EACH ROW"
          + " INSERT INTO enqueued (message_id) VALUES (NEW.id)";

  private final QueueDatabase database;

  /** The books of {@code database}. */
  public Ledgers(QueueDatabase database) {
    this.database = database;
  }

  /** Opens them; what an earlier test wrote is gone. */
  public void open() {
    database.execute(
        "CREATE TABLE IF NOT EXISTS enqueued (message_id BIGINT NOT NULL PRIMARY KEY, effectless"
            + " TINYINT NOT NULL DEFAULT 0)",
        "CREATE TABLE IF NOT EXISTS effect (id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " message_id BIGINT NOT NULL, claim INT NOT NULL, pid BIGINT NOT NULL, handled_at"
            + " DATETIME(6) NOT NULL DEFAULT (UTC_TIMESTAMP(6)))",
        "DROP TRIGGER IF EXISTS book_what_fires",
        "DELETE FROM enqueued",
        "DELETE FROM effect");
  }

  /**
   * Enqueued = acked + dead + available + scheduled + in flight; and message by message, so that
   * one that is missing cannot make up for one that is there twice. An effect that happened twice,
   * or without its message's deletion, is a message in two places.
   */
  public void balance() {
    assertThat(
            database.strings(
                "SELECT CONCAT(e.message_id, ': ', COUNT(p.id), ' places ',"
                    + " COALESCE(GROUP_CONCAT(p.place), '')) FROM enqueued e LEFT JOIN ("
                    + PLACES
                    + ") p ON p.id = e.message_id GROUP BY e.message_id HAVING COUNT(p.id) <> 1"))
        .as("messages that are not in exactly one place")
        .isEmpty();
    assertThat(
            database.strings(
                "SELECT CONCAT(p.id, ' ', p.place) FROM ("
                    + PLACES
                    + ") p WHERE p.id NOT IN (SELECT message_id FROM enqueued)"))
        .as("messages that nobody enqueued")
        .isEmpty();
  }

  /** Every message is in {@code place}, or there is none. */
  public void allAre(String place) {
    List<String> elsewhere =
        database.strings(
            "SELECT CONCAT(p.id, ' ', p.place) FROM ("
                + PLACES
                + ") p WHERE p.place <> '"
                + place
                + "'");
    assertThat(elsewhere).as("messages that are not " + place).isEmpty();
  }

  /** Failed attempts belong to a message that is still there, or to a dead letter. */
  public void noStrayAttempts() {
    assertThat(
            database.strings(
                "SELECT message_id FROM queue_attempt WHERE message_id NOT IN (SELECT id FROM"
                    + " queue_message UNION ALL SELECT id FROM queue_dead_letter)"))
        .as("failed attempts of messages that are gone")
        .isEmpty();
  }
}
