package io.rowqueue.internal.depth;

import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.Figure;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

final class JooqDepthSampler implements DepthSampler {

  /**
   * Capped at ten seconds, because the sample may have been slow only because the server stalled.
   */
  private static final Field<Integer> IS_FRESH =
      DSL.field(
          "{0} > UTC_TIMESTAMP(6) - INTERVAL LEAST(10000000, GREATEST(1000000, 20 * {1}))"
              + " MICROSECOND",
          SQLDataType.INTEGER, QUEUE_DEPTH.SAMPLED_AT, QUEUE_DEPTH.SAMPLE_MICROS);

  /** Dead letters are left out, since a producer that takes samples cannot read them. */
  private static final Set<Figure> WAITING =
      Set.of(Figure.AVAILABLE, Figure.BLOCKED, Figure.OLDEST);

  private final Transactions transactions;

  JooqDepthSampler(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public boolean sample(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    Record2<Byte, Integer> before = before(topic);
    if (before != null && before.value2() == 1) {
      return false;
    }
    boolean full = before != null && before.value1() == 1;
    Found found = read(topic, limit, marks);
    Row row = new Row(topic, limit.isExceeded(found.depth, found.oldest, full), found);
    transactions.run(Transition.JUDGE, tx -> write(tx.dsl(), row));
    return true;
  }

  private @Nullable Record2<Byte, Integer> before(Topic topic) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEPTH.IS_FULL, IS_FRESH)
                .from(QUEUE_DEPTH)
                .where(QUEUE_DEPTH.TOPIC.eq(topic.name()))
                .fetchOne());
  }

  private Found read(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    long start = System.nanoTime();
    Long most = limit.depth();
    QueueCounts.Query query =
        most == null
            ? new QueueCounts.Query(Set.of(Figure.OLDEST), any -> marks, QueueCounts.MOST)
            : new QueueCounts.Query(WAITING, any -> marks, most + 1);
    TopicCounts counts =
        transactions
            .read(dsl -> QueueCounts.read(dsl, List.of(topic.name()), query))
            .getOrDefault(topic.name(), TopicCounts.NONE);
    long waiting = counts.available().plus(counts.blocked()).number();
    long depth = most == null ? 0 : Math.min(most + 1, waiting);
    Duration oldest = counts.oldest() == null ? Duration.ZERO : counts.oldest();
    return new Found(depth, oldest, (System.nanoTime() - start) / 1_000);
  }

  private static int write(DSLContext dsl, Row row) {
    byte full = (byte) (row.full ? 1 : 0);
    int seconds = (int) Math.min(Integer.MAX_VALUE, row.found.oldest.toSeconds());
    return dsl.insertInto(QUEUE_DEPTH)
        .set(QUEUE_DEPTH.TOPIC, row.topic.name())
        .set(QUEUE_DEPTH.IS_FULL, full)
        .set(QUEUE_DEPTH.DEPTH, row.found.depth)
        .set(QUEUE_DEPTH.OLDEST_SECONDS, seconds)
        .set(QUEUE_DEPTH.SAMPLE_MICROS, row.found.micros)
        .set(QUEUE_DEPTH.SAMPLED_AT, DatabaseClock.now())
        .onDuplicateKeyUpdate()
        .set(QUEUE_DEPTH.IS_FULL, full)
        .set(QUEUE_DEPTH.DEPTH, row.found.depth)
        .set(QUEUE_DEPTH.OLDEST_SECONDS, seconds)
        .set(QUEUE_DEPTH.SAMPLE_MICROS, row.found.micros)
        .set(QUEUE_DEPTH.SAMPLED_AT, DatabaseClock.now())
        .execute();
  }

  private record Found(long depth, Duration oldest, long micros) {}

  private record Row(Topic topic, boolean full, Found found) {}
}
