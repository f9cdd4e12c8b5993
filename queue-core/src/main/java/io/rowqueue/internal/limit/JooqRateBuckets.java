package io.rowqueue.internal.limit;

import static io.rowqueue.internal.table.Tables.QUEUE_RATE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record3;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * One row per topic, read and written under its lock. A worker that gets one token instead of ten
 * learns that, and cannot be overtaken for ever by workers that want only one.
 */
final class JooqRateBuckets implements RateBuckets {

  /**
   * Capping the elapsed time at a second loses nothing: every rate fills its bucket within a
   * second.
   */
  private static final String TOKENS_NOW =
      "CASE WHEN {3} > {4} THEN {0} ELSE LEAST({0}, {1} + {2} * 0.000001 * LEAST(1000000,"
          + " GREATEST(0, TIMESTAMPDIFF(MICROSECOND, {3}, UTC_TIMESTAMP(6))))) END";

  private static final Table<?> BY_PRIMARY_KEY = QUEUE_RATE.forceIndex("PRIMARY");

  private final Transactions transactions;

  JooqRateBuckets(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public Drawn draw(Topic topic, int wanted, int perSecond) {
    int burst = RateBuckets.burst(perSecond);
    int most = Math.min(wanted, burst);
    return transactions.run(
        Transition.DRAW,
        tx -> {
          Bucket bucket = lock(tx.dsl(), topic, burst, perSecond);
          return bucket == null
              ? make(tx.dsl(), topic, most, burst)
              : draw(tx.dsl(), topic, bucket, most);
        });
  }

  private static @Nullable Bucket lock(DSLContext dsl, Topic topic, int burst, int perSecond) {
    Record3<BigDecimal, Instant, Instant> row =
        dsl.select(tokensNow(burst, perSecond), QUEUE_RATE.FILLED_AT, DatabaseClock.now())
            .from(BY_PRIMARY_KEY)
            .where(QUEUE_RATE.TOPIC.eq(topic.name()))
            .forUpdate()
            .fetchOne();
    if (row == null) {
      return null;
    }
    return new Bucket(row.value1(), filledAt(row.value2(), row.value3()), perSecond);
  }

  /**
   * Another node's clock may be ahead of this one's. A time that is further ahead stems from a
   * clock that was set back since.
   */
  private static Instant filledAt(Instant before, Instant now) {
    boolean ahead = before.isAfter(now) && !before.isAfter(now.plus(DatabaseClock.MOST_APART));
    return ahead ? before : now;
  }

  private static Field<BigDecimal> tokensNow(int burst, int perSecond) {
    return DSL.field(
        TOKENS_NOW,
        SQLDataType.DECIMAL(20, 6),
        DSL.val(burst),
        QUEUE_RATE.TOKENS,
        DSL.val(perSecond),
        QUEUE_RATE.FILLED_AT,
        DatabaseClock.after(DatabaseClock.MOST_APART));
  }

  private static Drawn draw(DSLContext dsl, Topic topic, Bucket bucket, int most) {
    int drawn = Math.min(most, bucket.tokens.intValue());
    if (drawn == 0) {
      return new Drawn(0, bucket.untilHalfFull());
    }
    dsl.update(BY_PRIMARY_KEY)
        .set(QUEUE_RATE.TOKENS, bucket.tokens.subtract(BigDecimal.valueOf(drawn)))
        .set(QUEUE_RATE.FILLED_AT, bucket.filledAt)
        .where(QUEUE_RATE.TOPIC.eq(topic.name()))
        .execute();
    return new Drawn(drawn, Duration.ZERO);
  }

  /** The first draw inserts a full bucket; a concurrent second one draws again. */
  private static Drawn make(DSLContext dsl, Topic topic, int drawn, int burst) {
    int rows =
        dsl.insertInto(QUEUE_RATE)
            .set(QUEUE_RATE.TOPIC, topic.name())
            .set(QUEUE_RATE.TOKENS, BigDecimal.valueOf(burst - drawn))
            .set(QUEUE_RATE.FILLED_AT, DatabaseClock.now())
            .onDuplicateKeyIgnore()
            .execute();
    return new Drawn(rows == 1 ? drawn : 0, Duration.ZERO);
  }

  /** The current content of the bucket, and its rate. */
  private record Bucket(BigDecimal tokens, Instant filledAt, int perSecond) {

    /** If workers draw single tokens, the transactions cost more than the messages. */
    Duration untilHalfFull() {
      int enough = Math.max(1, RateBuckets.burst(perSecond) / 2);
      double seconds = (enough - tokens.doubleValue()) / perSecond;
      return Duration.ofNanos((long) Math.ceil(seconds * 1e9));
    }
  }
}
