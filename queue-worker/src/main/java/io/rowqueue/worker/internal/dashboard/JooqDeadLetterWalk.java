package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.internal.table.Tables.QUEUE_DEAD_LETTER;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DeadLetterFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jooq.Condition;
import org.jooq.Record;
import org.jooq.Table;
import org.jooq.impl.DSL;

/**
 * Iterates over matching dead letters by id, a limited number of rows per statement: of millions
 * only a few may match, and the server cancels long reads of the dashboard. Confined to one thread.
 */
final class JooqDeadLetterWalk {

  /** The longest time that a page waits. */
  private static final Duration PATIENCE = Duration.ofSeconds(1);

  /** Some ten milliseconds if no row matches. */
  private static final int ROWS = 5_000;

  private static final long NO_END = Long.MAX_VALUE;

  private final Transactions transactions;
  private final DeadLetterFilter filter;
  private long after;

  /** The end of the current range of ids; empty if the range is exhausted. */
  private long end;

  private boolean atEnd;

  /**
   * Iterates over those above {@code after} that match {@code filter}, which must have no start
   * time.
   */
  JooqDeadLetterWalk(Transactions transactions, DeadLetterFilter filter, long after) {
    this.transactions = transactions;
    this.filter = filter;
    this.after = after;
    this.end = after;
  }

  /** Returns the id up to which rows have been checked. */
  long after() {
    return after;
  }

  /** Returns whether there are no rows above {@link #after}. */
  boolean isAtEnd() {
    return atEnd;
  }

  /**
   * Returns up to {@code most} matches of one range of rows; an empty result does not mean the end.
   */
  List<MessageId> next(int most) {
    if (after >= end) {
      end = passesOver() ? nextEnd() : NO_END;
    }
    List<Long> found =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_DEAD_LETTER.ID)
                    .from(table())
                    .where(behind())
                    .and(QUEUE_DEAD_LETTER.ID.le(end))
                    .and(meant())
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .limit(most)
                    .fetch(QUEUE_DEAD_LETTER.ID));
    boolean all = found.size() < most;
    after = all ? end : found.get(most - 1);
    atEnd = all && end == NO_END;
    return found.stream().map(MessageId::new).toList();
  }

  /** Returns up to {@code most} matches, reading ranges until the time limit. */
  List<MessageId> find(int most) {
    List<MessageId> found = new ArrayList<>();
    long start = System.nanoTime();
    while (found.size() < most && !atEnd && System.nanoTime() - start < PATIENCE.toNanos()) {
      found.addAll(next(Math.min(ROWS, most - found.size())));
    }
    return found;
  }

  /** Returns whether the filter excludes some of the rows read. */
  private boolean passesOver() {
    return filter.reason() != null || filter.until() != null;
  }

  private long nextEnd() {
    Long last =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_DEAD_LETTER.ID)
                    .from(table())
                    .where(behind())
                    .orderBy(QUEUE_DEAD_LETTER.ID)
                    .limit(1)
                    .offset(ROWS - 1)
                    .fetchOne(QUEUE_DEAD_LETTER.ID));
    return last == null ? NO_END : last;
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
