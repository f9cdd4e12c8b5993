package io.rowqueue.internal.depth;

import static io.rowqueue.internal.table.Tables.QUEUE_DEPTH;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Backlog;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.DepthLimit;
import java.time.Duration;
import java.util.NavigableMap;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record2;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

final class JooqDepthJudge implements DepthJudge {

  /** Not longer than ten seconds: it may be the server that stood still while somebody looked. */
  private static final Field<Integer> IS_FRESH =
      DSL.field(
          "{0} > UTC_TIMESTAMP(6) - INTERVAL LEAST(10000000, GREATEST(1000000, 20 * {1}))"
              + " MICROSECOND",
          SQLDataType.INTEGER, QUEUE_DEPTH.JUDGED_AT, QUEUE_DEPTH.COST_MICROS);

  private final Transactions transactions;
  private final Backlog backlog;

  JooqDepthJudge(Transactions transactions) {
    this.transactions = transactions;
    this.backlog = new Backlog(transactions);
  }

  @Override
  public boolean judge(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    Record2<Byte, Integer> before = before(topic);
    if (before != null && before.value2() == 1) {
      return false;
    }
    boolean overfull = before != null && before.value1() == 1;
    Found found = look(topic, limit, marks);
    Row row = new Row(topic, limit.isExceeded(found.depth, found.oldest, overfull), found);
    transactions.run(Transition.JUDGE, tx -> write(tx.dsl(), row));
    return true;
  }

  private @Nullable Record2<Byte, Integer> before(Topic topic) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEPTH.OVERFULL, IS_FRESH)
                .from(QUEUE_DEPTH)
                .where(QUEUE_DEPTH.TOPIC.eq(topic.name()))
                .fetchOne());
  }

  private Found look(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks) {
    long start = System.nanoTime();
    Long most = limit.depth();
    long depth = most == null ? 0 : backlog.depth(topic, marks, most + 1);
    Duration oldest = backlog.oldest(topic, marks);
    return new Found(depth, oldest, (System.nanoTime() - start) / 1_000);
  }

  private static int write(DSLContext dsl, Row row) {
    byte overfull = (byte) (row.overfull ? 1 : 0);
    int seconds = (int) Math.min(Integer.MAX_VALUE, row.found.oldest.toSeconds());
    return dsl.insertInto(QUEUE_DEPTH)
        .set(QUEUE_DEPTH.TOPIC, row.topic.name())
        .set(QUEUE_DEPTH.OVERFULL, overfull)
        .set(QUEUE_DEPTH.DEPTH, row.found.depth)
        .set(QUEUE_DEPTH.OLDEST_SECONDS, seconds)
        .set(QUEUE_DEPTH.COST_MICROS, row.found.micros)
        .set(QUEUE_DEPTH.JUDGED_AT, DatabaseClock.now())
        .onDuplicateKeyUpdate()
        .set(QUEUE_DEPTH.OVERFULL, overfull)
        .set(QUEUE_DEPTH.DEPTH, row.found.depth)
        .set(QUEUE_DEPTH.OLDEST_SECONDS, seconds)
        .set(QUEUE_DEPTH.COST_MICROS, row.found.micros)
        .set(QUEUE_DEPTH.JUDGED_AT, DatabaseClock.now())
        .execute();
  }

  private record Found(long depth, Duration oldest, long micros) {}

  private record Row(Topic topic, boolean overfull, Found found) {}
}
