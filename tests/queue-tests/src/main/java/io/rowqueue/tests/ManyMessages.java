package io.rowqueue.tests;

import io.rowqueue.testkit.QueueDatabase;

/** A queue of topics {@code topic.0}, {@code topic.1} and so on that is far larger than a page. */
public final class ManyMessages {

  private static final String SEED =
      """
      INSERT INTO queue_message (topic, state, priority, due_at, lock_id, payload)
        WITH RECURSIVE n AS (SELECT 1 AS i UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
        SELECT CONCAT('topic.', i %% %d), CASE WHEN i <= 4 THEN 1 WHEN i %% 10 = 3 THEN 2 ELSE 0 END,
            i %% 3, UTC_TIMESTAMP(6) + INTERVAL i SECOND, IF(i <= 4, 'nobody-1-x', ''),
            JSON_OBJECT('number', i, 'text', REPEAT('x', 60))
          FROM n\
      """;

  /** What is claimed stays a few hundred, as in life. */
  private static final String DOUBLE =
      """
      INSERT INTO queue_message (topic, state, priority, due_at, payload)
        SELECT topic, state, priority, due_at, payload FROM queue_message
          WHERE state <> 1 ORDER BY id LIMIT %d\
      """;

  private static final String DEAD =
      """
      INSERT INTO queue_dead_letter (id, topic, priority, claim_number, attempts, lost_claims, reason, detail,
          fingerprint, worker, due_at, created_at, dead_at, payload)
        SELECT id, topic, 0, 3, 3, 0, 'attempts-exhausted',
            CONCAT('java.lang.IllegalState', id %% 40, 'Exception: no'), id %% 40,
            'w', due_at, created_at,
            UTC_TIMESTAMP(6) - INTERVAL 1 DAY + INTERVAL id * 1000 MICROSECOND, payload
          FROM queue_message WHERE state <> 1 ORDER BY id LIMIT %d\
      """;

  private static final String BURY =
      "DELETE FROM queue_message WHERE state <> 1 ORDER BY id LIMIT %d";

  private static final int SEEDED = 1_000;

  private ManyMessages() {}

  /**
   * Fills an empty queue with {@code rows} messages of at most 1,000 topics, and dead letters of 40
   * kinds.
   */
  public static void fill(QueueDatabase database, long rows, int topics, long deadLetters) {
    database.execute(SEED.formatted(topics));
    grow(database, SEEDED, SEEDED + deadLetters);
    // While the table is small: a delete is dear where most of it lies on disk.
    database.execute(DEAD.formatted(deadLetters), BURY.formatted(deadLetters));
    grow(database, SEEDED, rows);
    database.execute("ANALYZE TABLE queue_message", "ANALYZE TABLE queue_dead_letter");
  }

  private static void grow(QueueDatabase database, long from, long rows) {
    long filled = from;
    while (filled < rows) {
      long more = Math.min(Math.min(filled, 500_000), rows - filled);
      database.execute(DOUBLE.formatted(more));
      filled = database.count("SELECT COUNT(*) FROM queue_message");
    }
  }
}
