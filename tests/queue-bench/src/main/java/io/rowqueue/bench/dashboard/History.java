package io.rowqueue.bench.dashboard;

import io.rowqueue.testkit.QueueDatabase;
import java.util.List;

/** The statistics of a week, and the audit entries, of 100 topics. */
final class History {

  private static final int HOUR = 60;
  private static final int PERIODS_OF_A_WEEK = 168;

  /** As many periods of so many minutes, of each topic and of all together. */
  private static final String STATISTICS =
      """
      INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, depth, depth_estimated, oldest_seconds,
          completed, retried, dead_lettered, handling_micros, handling_5, handling_7, pickup_2, pickup_4)
        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %2$d),
          t (k) AS (SELECT -1 UNION ALL SELECT k + 1 FROM t WHERE k < 99)
        SELECT %1$d, TIMESTAMP(DATE_FORMAT(UTC_TIMESTAMP(), '%3$s')) - INTERVAL i * %1$d MINUTE,
            IF(k < 0, '', CONCAT('topic.', k)), i * 9 %% 7 * 40, 50000 + i * 7 %% 5 * 900, 1, i %% 60,
            240, i %% 11, i %% 3, 9000000, 200, 51, 190, 50
          FROM n JOIN t\
      """;

  private static final String AUDIT =
      """
      INSERT INTO queue_audit (actor, origin, action, target, result)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199),
          t (k) AS (SELECT 0 UNION ALL SELECT k + 1 FROM t WHERE k < 99)
        SELECT 'ada', '10.1.2.3', IF(i %% 2 = 0, 'topic.pause', 'topic.resume'), CONCAT('topic.', k), 'done'
          FROM n JOIN t ORDER BY i, k\
      """
          .formatted();

  private History() {}

  static void write(QueueDatabase database) {
    database.execute(
        STATISTICS.formatted(1, HOUR, "%Y-%m-%d %H:%i:00"),
        STATISTICS.formatted(10, PERIODS_OF_A_WEEK, "%Y-%m-%d %H:00:00"),
        STATISTICS.formatted(HOUR, PERIODS_OF_A_WEEK, "%Y-%m-%d %H:00:00"),
        AUDIT);
    List.of("queue_statistics", "queue_audit")
        .forEach(table -> database.execute("ANALYZE TABLE " + table));
  }
}
