package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_AUDIT;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Record;
import org.jooq.SelectJoinStep;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/** The changes that operators made. Thread-safe. */
public final class JooqAudit {

  /** How long entries are kept. */
  public static final Duration RETENTION = Duration.ofDays(400);

  private static final Condition IS_OLD = QUEUE_AUDIT.AT.lt(DatabaseClock.before(RETENTION));

  private static final int NAME = 255;

  /** In characters; long enough for all ids of a page, and short enough for the column. */
  private static final int TEXT = 5_000;

  private static final int EXAMINED = 5_000;

  /** How many entries a statement of a search reads. */
  private static final int STEP = 1_000;

  /** The times of entries are in the order of their ids, except for those written at once. */
  private static final Duration AT_ONCE = Duration.ofMinutes(1);

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

  /**
   * Which entries.
   *
   * @param target a part of the target; empty for any
   * @param by the actor or the origin; empty for any
   * @param action words that the action has, such as {@code purge topic}; empty for any
   * @param since the earliest time; null for any
   * @param until the time before which they were written; null for any
   */
  public record Filter(
      String target, String by, String action, @Nullable Instant since, @Nullable Instant until) {

    /** Every entry. */
    public static final Filter ANY = new Filter("", "", "", null, null);

    private Condition rows() {
      return DSL.and(
          target.isEmpty() ? DSL.noCondition() : QUEUE_AUDIT.TARGET.contains(target),
          by.isEmpty() ? DSL.noCondition() : QUEUE_AUDIT.ACTOR.eq(by).or(QUEUE_AUDIT.ORIGIN.eq(by)),
          DSL.and(words().map(QUEUE_AUDIT.ACTION::contains).toList()),
          since == null ? DSL.noCondition() : QUEUE_AUDIT.AT.ge(since),
          until == null ? DSL.noCondition() : QUEUE_AUDIT.AT.lt(until));
    }

    private Stream<String> words() {
      return Stream.of(action.split("[ .]+")).filter(word -> !word.isEmpty());
    }
  }

  /**
   * What a search found.
   *
   * @param entries the newest first
   * @param before the id before which the search can continue; null if there are no more entries
   */
  public record Found(List<Written> entries, @Nullable Long before) {}

  /**
   * Searches entries, the newest first. Locks nothing.
   *
   * @param before the id before which it begins; null for all
   * @param limit how many it returns at most
   * @param patience how long it examines entries
   */
  public Found find(Filter filter, @Nullable Long before, int limit, Duration patience) {
    long start = System.nanoTime();
    Long first = filter.since == null ? Long.valueOf(0) : firstFrom(filter.since.minus(AT_ONCE));
    Long end = filter.until == null ? null : firstFrom(filter.until.plus(AT_ONCE));
    long open =
        Math.min(before == null ? Long.MAX_VALUE : before, end == null ? Long.MAX_VALUE : end);
    List<Written> found = new ArrayList<>();
    while (first != null && System.nanoTime() - start < patience.toNanos()) {
      Condition rest = QUEUE_AUDIT.ID.ge(first).and(QUEUE_AUDIT.ID.lt(open));
      Long from = step(rest);
      Condition some = from == null ? rest : rest.and(QUEUE_AUDIT.ID.ge(from));
      found.addAll(read(some.and(filter.rows()), limit - found.size() + 1));
      if (found.size() > limit) {
        return new Found(found.subList(0, limit), found.get(limit - 1).id);
      }
      if (from == null) {
        return new Found(found, null);
      }
      open = from;
    }
    return new Found(found, first == null ? null : Long.valueOf(open));
  }

  /** Returns the id of the first entry from {@code time} on; null if there is none. */
  private @Nullable Long firstFrom(Instant time) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_AUDIT.ID)
                .from(QUEUE_AUDIT.forceIndex("queue_audit_by_time"))
                .where(QUEUE_AUDIT.AT.ge(time))
                .orderBy(QUEUE_AUDIT.AT)
                .limit(1)
                .fetchOne(QUEUE_AUDIT.ID));
  }

  /** Returns the last id of the next step; null if it is the last step. */
  private @Nullable Long step(Condition rest) {
    return transactions.read(
        dsl ->
            dsl.select(QUEUE_AUDIT.ID)
                .from(QUEUE_AUDIT.forceIndex("PRIMARY"))
                .where(rest)
                .orderBy(QUEUE_AUDIT.ID.desc())
                .limit(1)
                .offset(STEP - 1)
                .fetchOne(QUEUE_AUDIT.ID));
  }

  /**
   * Returns the last changes of a topic's settings and messages, the newest first. MariaDB reads
   * all changes of the topic that are kept, and sorts them.
   */
  public List<Written> ofTopic(String topic, int limit) {
    return transactions.read(
        dsl ->
            select(dsl, QUEUE_AUDIT.forceIndex("queue_audit_by_target"))
                .where(QUEUE_AUDIT.TARGET.eq(topic))
                .and(QUEUE_AUDIT.ACTION.startsWith("topic"))
                .orderBy(QUEUE_AUDIT.ID.desc())
                .limit(limit)
                .fetch(JooqAudit::written));
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
            select(dsl, QUEUE_AUDIT.forceIndex("PRIMARY"))
                .where(which)
                .orderBy(QUEUE_AUDIT.ID.desc())
                .limit(limit)
                .fetch(JooqAudit::written));
  }

  private static SelectJoinStep<? extends Record> select(DSLContext dsl, Table<?> table) {
    return dsl.select(
            QUEUE_AUDIT.ID,
            QUEUE_AUDIT.AT,
            QUEUE_AUDIT.ACTOR,
            QUEUE_AUDIT.ORIGIN,
            QUEUE_AUDIT.ACTION,
            QUEUE_AUDIT.TARGET,
            QUEUE_AUDIT.RESULT)
        .from(table);
  }

  private static Written written(Record row) {
    return new Written(
        row.get(QUEUE_AUDIT.ID),
        row.get(QUEUE_AUDIT.AT),
        new Entry(
            row.get(QUEUE_AUDIT.ACTOR),
            row.get(QUEUE_AUDIT.ORIGIN),
            row.get(QUEUE_AUDIT.ACTION),
            row.get(QUEUE_AUDIT.TARGET),
            row.get(QUEUE_AUDIT.RESULT)));
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
