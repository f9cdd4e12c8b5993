package io.rowqueue.internal.operate;

import static io.rowqueue.internal.table.Tables.QUEUE_AUDIT;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.PrimaryKeyDelete;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.table.tables.QueueAudit;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The changes that operators made. Thread-safe. */
public final class JooqAudit {

  /** How long entries are kept. */
  public static final Duration RETENTION = Duration.ofDays(400);

  private static final int NAME = 255;

  /** In characters; long enough for all ids of a page, and short enough for the column. */
  private static final int TEXT = 5_000;

  private final Transactions transactions;

  public JooqAudit(Transactions transactions) {
    this.transactions = transactions;
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
    return transactions.read(
        dsl ->
            dsl.selectFrom(QUEUE_AUDIT)
                .orderBy(QUEUE_AUDIT.ID.desc())
                .limit(limit)
                .fetch(
                    row ->
                        new Written(
                            row.get(QUEUE_AUDIT.ID),
                            row.get(QUEUE_AUDIT.AT),
                            new Entry(
                                row.get(QUEUE_AUDIT.ACTOR),
                                row.get(QUEUE_AUDIT.ORIGIN),
                                row.get(QUEUE_AUDIT.ACTION),
                                row.get(QUEUE_AUDIT.TARGET),
                                row.get(QUEUE_AUDIT.RESULT)))));
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
                    .where(QUEUE_AUDIT.AT.lt(DatabaseClock.before(RETENTION)))
                    .orderBy(QUEUE_AUDIT.AT)
                    .limit(limit)
                    .fetch(QUEUE_AUDIT.ID));
    QueueAudit m = QUEUE_AUDIT.as(PrimaryKeyDelete.ALIAS);
    return ids.isEmpty()
        ? 0
        : transactions.run(
            Transition.PRUNE,
            tx ->
                PrimaryKeyDelete.run(
                    tx.dsl(), QUEUE_AUDIT, m.ID.in(ids.stream().sorted().toList())));
  }
}
