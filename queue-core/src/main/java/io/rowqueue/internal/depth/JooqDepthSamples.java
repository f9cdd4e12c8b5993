package io.rowqueue.internal.depth;

import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.DepthSample;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.Readings.SampledTopic;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jooq.Field;
import org.jooq.Record8;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Reads the samples of all topics that have a limit now, in one statement over two small tables.
 */
final class JooqDepthSamples {

  private static final Field<Integer> IS_STALE =
      DSL.field(
          "COALESCE({0}, {1}) < UTC_TIMESTAMP(6) - INTERVAL 30 SECOND - INTERVAL 40 * COALESCE({2},"
              + " 0) MICROSECOND",
          SQLDataType.INTEGER,
          QUEUE_DEPTH.SAMPLED_AT,
          QUEUE_TOPIC.UPDATED_AT,
          QUEUE_DEPTH.SAMPLE_MICROS);

  private JooqDepthSamples() {}

  /** By the topics' names. */
  static Map<String, SampledTopic> read(Transactions transactions) {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_TOPIC.TOPIC,
                    QUEUE_TOPIC.MAX_DEPTH,
                    QUEUE_TOPIC.MAX_AGE_SECONDS,
                    QUEUE_DEPTH.IS_FULL,
                    QUEUE_DEPTH.DEPTH,
                    QUEUE_DEPTH.OLDEST_SECONDS,
                    QUEUE_DEPTH.SAMPLED_AT,
                    IS_STALE)
                .from(QUEUE_TOPIC)
                .leftJoin(QUEUE_DEPTH)
                .on(QUEUE_DEPTH.TOPIC.eq(QUEUE_TOPIC.TOPIC))
                .where(QUEUE_TOPIC.MAX_DEPTH.isNotNull())
                .or(QUEUE_TOPIC.MAX_AGE_SECONDS.isNotNull())
                .limit(DSL.inline(Integer.MAX_VALUE))
                .fetchMap(row -> row.value1(), JooqDepthSamples::sampled));
  }

  private static SampledTopic sampled(
      Record8<String, Long, Integer, Byte, Long, Integer, Instant, Integer> row) {
    Integer age = row.value3();
    DepthLimit limit = new DepthLimit(row.value2(), age == null ? null : Duration.ofSeconds(age));
    return new SampledTopic(limit, sample(row), row.value8() == 1);
  }

  private static @Nullable DepthSample sample(
      Record8<String, Long, Integer, Byte, Long, Integer, Instant, Integer> row) {
    return row.value4() == null
        ? null
        : new DepthSample(
            row.value4() == 1, row.value5(), Duration.ofSeconds(row.value6()), row.value7());
  }
}
