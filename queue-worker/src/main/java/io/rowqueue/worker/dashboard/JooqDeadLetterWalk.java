package io.rowqueue.worker.dashboard;

import static io.rowqueue.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.database.Transactions;
import io.rowqueue.deadletter.DeadLetterFilter;
import io.rowqueue.message.MessageId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * Walks through dead letters in the order of their ids, so many rows a look: of millions only a few
 * may be meant, and the server ends a read of the dashboard after a while. Confined to one thread.
 */
final class JooqDeadLetterWalk {

  /** What a page waits for at most. */
  static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Some ten milliseconds, where none of them is meant. */
  private static final int ROWS = 5_000;

  private final Transactions transactions;
  private final DeadLetterFilter filter;
  private final int rows;
  private long after;

  /** How far the look that has begun goes; null if to the end. */
  private @Nullable Long last;

  private boolean begun;
  private boolean atEnd;

  /** Of those that {@code filter}, which has no beginning in time, means above {@code after}. */
  JooqDeadLetterWalk(Transactions transactions, DeadLetterFilter filter, long after) {
    this(transactions, filter, after, ROWS);
  }

  JooqDeadLetterWalk(Transactions transactions, DeadLetterFilter filter, long after, int rows) {
    this.transactions = transactions;
    this.filter = filter;
    this.after = after;
    this.rows = rows;
  }

  /** The last id that it has passed, until it is at the end. */
  long after() {
    return after;
  }

  /** Whether there is nothing behind what it has passed. */
  boolean isAtEnd() {
    return atEnd;
  }

  /** Up to {@code most} of one look; none does not mean that it is at the end. */
  List<MessageId> look(int most) {
    Long last = begun ? this.last : begin();
    List<Long> found =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_DEAD_LETTER.ID)
                    .from(table())
                    .where(behind())
                    .and(last == null ? DSL.noCondition() : QUEUE_DEAD_LETTER.ID.le(last))
                    .and(meant())
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .limit(most)
                    .fetch(QUEUE_DEAD_LETTER.ID));
    if (found.size() == most) {
      after = found.get(most - 1);
    } else {
      begun = false;
      after = last == null ? after : last;
      atEnd = last == null;
    }
    return found.stream().map(MessageId::new).toList();
  }

  /** Up to {@code most}, by as many looks as there is patience for. */
  List<MessageId> find(int most) {
    List<MessageId> found = new ArrayList<>();
    long start = System.nanoTime();
    while (found.size() < most && !atEnd && System.nanoTime() - start < PATIENCE.toNanos()) {
      found.addAll(look(Math.min(rows, most - found.size())));
    }
    return found;
  }

  private @Nullable Long begin() {
    begun = true;
    last = passesOver() ? end() : null;
    return last;
  }

  /** Whether some are not meant of those that it walks along. */
  private boolean passesOver() {
    return filter.reason() != null || filter.until() != null;
  }

  /** Where one look ends; null if what is left is less than that. */
  private @Nullable Long end() {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_DEAD_LETTER.ID)
                .from(table())
                .where(behind())
                .orderBy(QUEUE_DEAD_LETTER.ID)
                .limit(1)
                .offset(rows - 1)
                .fetchOne(QUEUE_DEAD_LETTER.ID));
  }

  private Table<? extends Record> table() {
    return QUEUE_DEAD_LETTER.forceIndex(
        filter.topic() == null ? "PRIMARY" : "queue_dead_letter_by_topic");
  }

  private Condition behind() {
    Condition above = QUEUE_DEAD_LETTER.ID.gt(after);
    return filter.topic() == null
        ? above
        : above.and(QUEUE_DEAD_LETTER.TOPIC.eq(Objects.requireNonNull(filter.topic()).name()));
  }

  private Condition meant() {
    return DSL.and(
        filter.reason() == null
            ? DSL.noCondition()
            : QUEUE_DEAD_LETTER.REASON.eq(Objects.requireNonNull(filter.reason()).label()),
        filter.until() == null
            ? DSL.noCondition()
            : QUEUE_DEAD_LETTER.DEAD_AT.lt(Objects.requireNonNull(filter.until())));
  }
}
