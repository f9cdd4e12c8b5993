package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.testkit.QueueDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * The statistics of a shop over the last hour: the load of {@link Shop}, and an outage of the
 * partners from 44 to 33 minutes ago. The last minute agrees with the messages in the queue.
 */
final class ShopHistory {

  private static final int MINUTES = 60;
  private static final int OUTAGE = 44;
  private static final int OVER = 33;
  private static final int CAUGHT_UP = 24;

  private static final String ROW =
      "(1, TIMESTAMP(DATE_FORMAT(UTC_TIMESTAMP() - INTERVAL %d MINUTE, '%%Y-%%m-%%d %%H:%%i:00')),"
          + " '%s', %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d, %d)";

  private final QueueDatabase database;
  private final Random random = new Random(37);

  ShopHistory(QueueDatabase database) {
    this.database = database;
  }

  /**
   * The load of a topic.
   *
   * @param perMinute enqueued messages
   * @param bucket the bucket of most handling times
   * @param micros the mean handling time
   */
  private record Load(String topic, int perMinute, int bucket, long micros) {}

  /** Replaces the statistics. */
  void write() {
    List<String> rows = new ArrayList<>();
    random.setSeed(37);
    for (Load load :
        List.of(
            new Load("email.send", 720, 6, 70_000),
            new Load("order.place", 320, 5, 36_000),
            new Load(Shop.WEBHOOK, 200, 8, 375_000))) {
      long depth =
          database.count(
              "SELECT COUNT(*) FROM queue_message WHERE topic = '%s'".formatted(load.topic));
      for (int ago = MINUTES; ago > 0; ago--) {
        rows.add(row(load, ago, depth));
      }
    }
    database.execute(
        "DELETE FROM queue_statistics",
        "INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, depth, oldest_seconds,"
            + " completed, retried, dead_lettered, handling_micros, handling_5, handling_6,"
            + " handling_7, handling_8, pickup_1, pickup_2, pickup_4) VALUES "
            + String.join(", ", rows),
        "INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued, depth, oldest_seconds)"
            + " SELECT minutes, starts_at, '', SUM(enqueued), SUM(depth)"
            + " + (SELECT COUNT(*) FROM queue_message WHERE topic NOT IN"
            + " ('email.send', 'order.place', 'partner.webhook')), MAX(oldest_seconds)"
            + " FROM queue_statistics GROUP BY minutes, starts_at",
        "UPDATE queue_statistics SET oldest_seconds = (SELECT TIMESTAMPDIFF(SECOND, MIN(due_at),"
            + " UTC_TIMESTAMP(6)) FROM queue_message WHERE state = 0) WHERE topic = ''"
            + " ORDER BY starts_at DESC LIMIT 2");
  }

  private String row(Load load, int ago, long depth) {
    boolean partner = load.topic.equals(Shop.WEBHOOK);
    boolean out = partner && ago <= OUTAGE && ago > OVER;
    boolean behind = partner && ago <= OVER && ago > CAUGHT_UP;
    double wave = Math.sin(ago / 9.0 + load.bucket) + 0.6 * Math.sin(ago / 3.7);
    long enqueued = Math.round(load.perMinute * (1 + 0.08 * wave + 0.04 * random.nextGaussian()));
    long completed = enqueued + random.nextLong(-6, 7);
    long backlog = random.nextLong(ago > 1 ? 9 : 1);
    long oldest = random.nextLong(ago > 1 ? 3 : 1);
    long retried = Math.round(enqueued * (partner ? 0.06 : 0.001));
    if (out) {
      int since = OUTAGE - ago + 1;
      completed = enqueued - 83 + random.nextLong(-9, 9);
      backlog = 83L * since;
      oldest = 24L * since;
      retried = 140 + random.nextLong(30);
    } else if (behind) {
      int left = ago - CAUGHT_UP - 1;
      completed = enqueued + 101 + random.nextLong(-9, 9);
      backlog = 101L * left;
      oldest = 29L * left;
    }
    long dead = random.nextInt(6) == 0 ? 1 : 0;
    long attempts = completed + retried + dead;
    long slow = attempts / 14;
    long[] buckets = new long[4];
    buckets[load.bucket - 5] = attempts - slow;
    buckets[Math.min(3, load.bucket - 4)] += slow;
    return ROW.formatted(
        ago,
        load.topic,
        enqueued,
        depth + backlog,
        oldest,
        completed,
        retried,
        dead,
        attempts * load.micros,
        buckets[0],
        buckets[1],
        buckets[2],
        buckets[3],
        completed / 2,
        completed / 2 - slow,
        slow);
  }
}
