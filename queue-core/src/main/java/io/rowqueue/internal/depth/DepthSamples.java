package io.rowqueue.internal.depth;

import io.rowqueue.DepthSample;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Readings.SampledTopic;
import io.rowqueue.operate.DepthLimit;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the samples of all topics that have a limit now, in one statement over two small tables; by
 * JDBC, since producers do it.
 */
final class DepthSamples {

  private static final String READ =
      "SELECT t.topic, t.max_depth, t.max_age_seconds, d.is_full, d.depth, d.oldest_seconds,"
          + " d.sampled_at, COALESCE(d.sampled_at, t.updated_at) < UTC_TIMESTAMP(6) - INTERVAL 30"
          + " SECOND - INTERVAL 40 * COALESCE(d.sample_micros, 0) MICROSECOND AS is_stale FROM"
          + " queue_topic t LEFT JOIN queue_depth d ON d.topic = t.topic WHERE t.max_depth IS NOT"
          + " NULL OR t.max_age_seconds IS NOT NULL"
          + SessionSettings.ALL_ROWS;

  private DepthSamples() {}

  /** By the topics' names. */
  static Map<String, SampledTopic> read(Transactions transactions) {
    return transactions.readOnConnection(DepthSamples::read);
  }

  private static Map<String, SampledTopic> read(Connection connection) throws SQLException {
    Map<String, SampledTopic> samples = new HashMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery(READ)) {
      while (row.next()) {
        Integer age = row.getObject("max_age_seconds", Integer.class);
        DepthLimit limit =
            new DepthLimit(
                row.getObject("max_depth", Long.class),
                age == null ? null : Duration.ofSeconds(age));
        samples.put(
            row.getString("topic"),
            new SampledTopic(limit, sample(row), row.getInt("is_stale") == 1));
      }
    }
    return samples;
  }

  private static @Nullable DepthSample sample(ResultSet row) throws SQLException {
    LocalDateTime at = row.getObject("sampled_at", LocalDateTime.class);
    return at == null
        ? null
        : new DepthSample(
            row.getInt("is_full") == 1,
            row.getLong("depth"),
            Duration.ofSeconds(row.getLong("oldest_seconds")),
            at.toInstant(ZoneOffset.UTC));
  }
}
