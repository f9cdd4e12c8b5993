package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_AUDIT;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.Condition;
import org.jooq.impl.DSL;

/** The changes that operators made. Thread-safe. */
public final class JooqAudit {

  /** How long entries are kept. */
  public static final Duration RETENTION = Duration.ofDays(400);

  private static final Condition IS_OLD = QUEUE_AUDIT.AT.lt(DatabaseClock.before(RETENTION));

  private static final int NAME = 255;

  /** In characters; long enough for all ids of a page, and short enough for the column. */
  private static final int TEXT = 5_000;

  private static final int EXAMINED = 5_000;

  private final Transactions transactions;
  private final Pruning<Long> pruning;

  public JooqAudit(Transactions transactions) {
    this.transactions = transactions;
    this.pruning = new Pruning<>(transactions, Transition.PRUNE, QUEUE_AUDIT.ID);
  }

  /**
   * A change.
   *
   * @param actor the user of the dashboard, or of the operating system
   * @param origin the client's address, or the host
   * @param action such as {@code topic.purge}, or the words of a command
   * @param target what it was about, such as ids
   * @param result what came of it
   */
  public record Entry(String actor, String origin, String action, String target, String result) {

    /** Cuts each text to what its column holds. */
    public Entry {
      actor = cut(actor, NAME);
      origin = cut(origin, NAME);
      action = cut(action, NAME);
      target = cut(target, TEXT);
      result = cut(result, TEXT);
    }

    private static String cut(String text, int most) {
      if (text.length() <= most) {
        return text;
      }
      // Not between the two halves of one character.
      return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }
  }

  /** An entry with its id, and when it was written, by the database's clock. */
  public record Written(long id, Instant at, Entry entry) {}

  /**
   * Writes an entry, in a transaction of its own.
   *
   * @throws io.rowqueue.QueueException if that fails; the change itself is not affected
   */
  public void write(Entry entry) {
    int unused =
        transactions.run(
            Transition.AUDIT,
            tx ->
                tx.dsl()
                    .insertInto(QUEUE_AUDIT)
                    .columns(
                        QUEUE_AUDIT.ACTOR,
                        QUEUE_AUDIT.ORIGIN,
                        QUEUE_AUDIT.ACTION,
                        QUEUE_AUDIT.TARGET,
                        QUEUE_AUDIT.RESULT)
                    .values(
                        entry.actor(),
                        entry.origin(),
                        entry.action(),
                        entry.target(),
                        entry.result())
                    .execute());
  }

  /** Returns the last {@code limit} entries, the newest first. Locks nothing. */
  public List<Written> list(int limit) {
    return read(DSL.noCondition(), limit);
  }

  /**
   * Returns the changes of one message or dead letter from {@code since} on, the newest first.
   * Examines the last {@value #EXAMINED} entries. Locks nothing.
   */
  public List<Written> of(MessageId id, Instant since, int limit) {
    return read(
        QUEUE_AUDIT
            .ID
            .gt(DSL.field(DSL.select(DSL.max(QUEUE_AUDIT.ID).minus(EXAMINED)).from(QUEUE_AUDIT)))
            .and(QUEUE_AUDIT.AT.ge(since))
            .and(
                QUEUE_AUDIT
                    .ACTION
                    .startsWith("message")
                    .or(QUEUE_AUDIT.ACTION.startsWith("dead-letter")))
            .and("FIND_IN_SET({0}, {1}) > 0", DSL.val(id.toString()), QUEUE_AUDIT.TARGET),
        limit);
  }

  private List<Written> read(Condition which, int limit) {
    return transactions.read(
        dsl ->
            dsl.select(
                    QUEUE_AUDIT.ID,
                    QUEUE_AUDIT.AT,
                    QUEUE_AUDIT.ACTOR,
                    QUEUE_AUDIT.ORIGIN,
                    QUEUE_AUDIT.ACTION,
                    QUEUE_AUDIT.TARGET,
                    QUEUE_AUDIT.RESULT)
                .from(QUEUE_AUDIT)
                .where(which)
                .orderBy(QUEUE_AUDIT.ID.desc())
                .limit(limit)
                .fetch(
                    row ->
                        new Written(
                            row.value1(),
                            row.value2(),
                            new Entry(
                                row.value3(),
                                row.value4(),
                                row.value5(),
                                row.value6(),
                                row.value7()))));
  }

  /**
   * Deletes up to {@code limit} entries that are older than {@link #RETENTION}. Reads ids first,
   * without locks.
   *
   * @return how many
   */
  public int prune(int limit) {
    List<Long> ids =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_AUDIT.ID)
                    .from(QUEUE_AUDIT.forceIndex("queue_audit_by_time"))
                    .where(IS_OLD)
                    .and(pruning.others())
                    .orderBy(QUEUE_AUDIT.AT)
                    .limit(limit)
                    .fetch(QUEUE_AUDIT.ID));
    return pruning.delete(ids, IS_OLD);
  }
}
