package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_RATE;
import static io.rowqueue.internal.table.Tables.QUEUE_SLOT;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.limit.SlotTable;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The permits of all topics with cluster-wide limits, read without locks: at most 1,000 rows a
 * topic.
 *
 * @param holders by topic: the workers that hold permits to handle messages
 * @param tokens by topic: the permits to start messages at the last refill
 */
public record JooqPermits(Map<String, List<Holder>> holders, Map<String, Tokens> tokens) {

  /**
   * A worker.
   *
   * @param since when it took the first of its permits; null if unknown
   * @param now when that was read
   */
  public record Holder(
      String topic, String worker, int permits, @Nullable Instant since, Instant now) {}

  /** The permits of a token bucket, and how long ago it was filled. */
  public record Tokens(double left, Duration age) {

    /** Returns the whole permits now. */
    long now(int burst, int perSecond) {
      double seconds = Math.min(1, Math.max(0, age.toMillis() / 1_000.0));
      return (long) Math.min(burst, left + perSecond * seconds);
    }
  }

  public static JooqPermits read(Transactions transactions) {
    return new JooqPermits(
        transactions.read(
            dsl ->
                dsl.select(
                        QUEUE_SLOT.TOPIC,
                        QUEUE_SLOT.LOCK_ID,
                        DSL.count(),
                        DSL.min(QUEUE_SLOT.TAKEN_AT),
                        DatabaseClock.now())
                    .from(QUEUE_SLOT)
                    .where(QUEUE_SLOT.LOCK_ID.ne(SlotTable.FREE))
                    .groupBy(QUEUE_SLOT.TOPIC, QUEUE_SLOT.LOCK_ID)
                    .orderBy(QUEUE_SLOT.TOPIC, QUEUE_SLOT.LOCK_ID)
                    .fetchGroups(
                        QUEUE_SLOT.TOPIC,
                        row ->
                            new Holder(
                                row.value1(),
                                row.value2(),
                                row.value3(),
                                row.value4(),
                                row.value5()))),
        transactions.read(
            dsl ->
                dsl.select(
                        QUEUE_RATE.TOPIC,
                        QUEUE_RATE.TOKENS,
                        QUEUE_RATE.FILLED_AT,
                        DatabaseClock.now())
                    .from(QUEUE_RATE)
                    .fetchMap(
                        QUEUE_RATE.TOPIC,
                        row ->
                            new Tokens(
                                row.value2().doubleValue(),
                                Duration.between(row.value3(), row.value4())))));
  }
}
