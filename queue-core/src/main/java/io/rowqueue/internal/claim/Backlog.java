package io.rowqueue.internal.claim;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/**
 * Measures how much of a topic waits for a worker. Each query scans a bounded part of one index,
 * locks nothing, and starts above a claimer's cursor if there is one. Thread-safe. Every method
 * throws {@link io.rowqueue.QueueException} if the database fails.
 */
public final class Backlog {

  /** Per priority. */
  private static final int MOST_EXAMINED = 10;

  private static final Field<Long> WAITED_MICROS =
      DSL.field(
              "TIMESTAMPDIFF(MICROSECOND, GREATEST({0}, {1}), UTC_TIMESTAMP(6))",
              SQLDataType.BIGINT, QUEUE_MESSAGE.DUE_AT, QUEUE_MESSAGE.CREATED_AT)
          .as("waited");

  private final Transactions transactions;

  public Backlog(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * How many messages of {@code topic} are available, at most {@code most}.
   *
   * @param marks for each known priority, the id at and below which there is nothing to read; empty
   *     to read everything
   */
  public long depth(Topic topic, NavigableMap<Byte, Long> marks, long most) {
    long available = count(JooqMessages.available(topic).and(JooqCursor.above(marks)), most);
    return available == most
        ? most
        : available + count(JooqMessages.blocked(topic), most - available);
  }

  private long count(Condition which, long most) {
    return transactions.read(
        dsl ->
            dsl.selectCount()
                .from(
                    dsl.select(QUEUE_MESSAGE.ID)
                        .from(JooqMessages.BY_CLAIM_KEY)
                        .where(which)
                        .limit(most)
                        .asTable("waiting"))
                .fetchSingle()
                .value1()
                .longValue());
  }

  /**
   * How long the oldest available message has waited: the maximum over the first ten of each
   * priority, since the very first may be a retry that has just become due. Zero if there is none.
   */
  public Duration oldest(Topic topic, NavigableMap<Byte, Long> marks) {
    long micros = 0;
    for (Map.Entry<Byte, Long> from : fromAllPriorities(topic, marks).entrySet()) {
      micros = Math.max(micros, waited(topic, from.getKey(), from.getValue()));
    }
    return Duration.of(micros, ChronoUnit.MICROS);
  }

  private long waited(Topic topic, byte priority, long above) {
    return transactions
        .read(
            dsl ->
                dsl.select(WAITED_MICROS)
                    .from(JooqMessages.BY_CLAIM_KEY)
                    .where(JooqMessages.available(topic))
                    .and(QUEUE_MESSAGE.PRIORITY.eq(priority))
                    .and(QUEUE_MESSAGE.ID.gt(above))
                    .orderBy(QUEUE_MESSAGE.ID)
                    .limit(MOST_EXAMINED)
                    .fetch(WAITED_MICROS))
        .stream()
        .mapToLong(Long::longValue)
        .max()
        .orElse(0);
  }

  /** The positions, extended to every priority that is less urgent than all of them. */
  private NavigableMap<Byte, Long> fromAllPriorities(Topic topic, NavigableMap<Byte, Long> marks) {
    return transactions.read(
        dsl -> {
          NavigableMap<Byte, Long> all = new TreeMap<>(marks);
          Byte found = first(dsl, topic, lessUrgent(all));
          while (found != null) {
            all.put(found, 0L);
            found = first(dsl, topic, lessUrgent(all));
          }
          return all;
        });
  }

  private static Condition lessUrgent(NavigableMap<Byte, Long> known) {
    return known.isEmpty() ? DSL.noCondition() : QUEUE_MESSAGE.PRIORITY.gt(known.lastKey());
  }

  private static @Nullable Byte first(DSLContext dsl, Topic topic, Condition within) {
    return dsl.select(QUEUE_MESSAGE.PRIORITY)
        .from(JooqMessages.BY_CLAIM_KEY)
        .where(JooqMessages.available(topic))
        .and(within)
        .orderBy(QUEUE_MESSAGE.PRIORITY, QUEUE_MESSAGE.ID)
        .limit(1)
        .fetchOne(QUEUE_MESSAGE.PRIORITY);
  }
}
