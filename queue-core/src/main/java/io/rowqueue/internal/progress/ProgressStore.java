package io.rowqueue.internal.progress;

import static io.rowqueue.internal.table.Tables.QUEUE_MESSAGE;
import static io.rowqueue.internal.table.Tables.QUEUE_PROGRESS;

import io.rowqueue.MessageId;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.InsertedValue;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import org.jooq.Condition;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.InsertValuesStep6;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;

/**
 * The table of progress reports. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public final class ProgressStore {

  /** The maximum number of reports written at once. */
  public static final int MOST = 500;

  /** A row may be written before its claim is visible to a slightly older snapshot. */
  private static final Condition IS_OLD =
      QUEUE_PROGRESS.UPDATED_AT.lt(DatabaseClock.before(Duration.ofMinutes(1)));

  private final Transactions transactions;
  private final Pruning<Long> pruning;
  private final RefusedRows<MessageId> refused = new RefusedRows<>("the progress of message");

  public ProgressStore(Transactions transactions) {
    this.transactions = transactions;
    this.pruning = new Pruning<>(transactions, Transition.PRUNE, QUEUE_PROGRESS.MESSAGE_ID);
  }

  /**
   * Writes the reports, at most {@link #MOST}, of different messages; the report of a later claim
   * is kept.
   */
  public void report(Collection<ProgressReport> reports) {
    List<ProgressReport> sorted =
        reports.stream().sorted(Comparator.comparing(report -> report.claim().id())).toList();
    refused.change(
        sorted,
        report -> report.claim().id(),
        some -> transactions.run(Transition.REPORT, tx -> write(tx.dsl(), some)));
  }

  /**
   * The claim number is assigned last, because the assignments before it compare with the old
   * value.
   */
  private static int write(DSLContext dsl, List<ProgressReport> reports) {
    var insert =
        dsl.insertInto(
            QUEUE_PROGRESS,
            QUEUE_PROGRESS.MESSAGE_ID,
            QUEUE_PROGRESS.CLAIM_NUMBER,
            QUEUE_PROGRESS.DONE,
            QUEUE_PROGRESS.TOTAL,
            QUEUE_PROGRESS.NOTE,
            QUEUE_PROGRESS.UPDATED_AT);
    for (ProgressReport report : reports) {
      insert = row(insert, report);
    }
    return insert
        .onDuplicateKeyUpdate()
        .set(QUEUE_PROGRESS.DONE, ofTheLater(QUEUE_PROGRESS.DONE))
        .set(QUEUE_PROGRESS.TOTAL, ofTheLater(QUEUE_PROGRESS.TOTAL))
        .set(QUEUE_PROGRESS.NOTE, ofTheLater(QUEUE_PROGRESS.NOTE))
        .set(QUEUE_PROGRESS.UPDATED_AT, ofTheLater(QUEUE_PROGRESS.UPDATED_AT))
        .set(QUEUE_PROGRESS.CLAIM_NUMBER, ofTheLater(QUEUE_PROGRESS.CLAIM_NUMBER))
        .execute();
  }

  private static <R extends org.jooq.Record>
      InsertValuesStep6<R, Long, Integer, Long, Long, String, Instant> row(
          InsertValuesStep6<R, Long, Integer, Long, Long, String, Instant> insert,
          ProgressReport report) {
    return insert.values(
        DSL.val(report.claim().id().value()),
        DSL.val(report.claim().number()),
        DSL.val(report.done()),
        DSL.val(report.total(), QUEUE_PROGRESS.TOTAL),
        DSL.val(report.note()),
        DatabaseClock.now());
  }

  private static <T> Field<T> ofTheLater(Field<T> column) {
    return DSL.field(
        "IF({0} >= {1}, {2}, {3})",
        column.getDataType(),
        InsertedValue.of(QUEUE_PROGRESS.CLAIM_NUMBER),
        QUEUE_PROGRESS.CLAIM_NUMBER,
        InsertedValue.of(column),
        column);
  }

  /** Deletes the reports of these claims, and none of later claims. */
  public void forget(Collection<ClaimKey> ended) {
    List<ClaimKey> sorted = ended.stream().sorted(Comparator.comparing(ClaimKey::id)).toList();
    refused.change(
        sorted,
        ClaimKey::id,
        some -> transactions.run(Transition.REPORT, tx -> delete(tx.dsl(), some)));
  }

  private static int delete(DSLContext dsl, List<ClaimKey> ended) {
    int rows = 0;
    for (ClaimKey claim : ended) {
      rows +=
          dsl.deleteFrom(QUEUE_PROGRESS)
              .where(QUEUE_PROGRESS.MESSAGE_ID.eq(claim.id().value()))
              .and(QUEUE_PROGRESS.CLAIM_NUMBER.eq(claim.number()))
              .execute();
    }
    return rows;
  }

  /**
   * Deletes reports that are at least a minute old and whose claims have ended. Reads the ids
   * first, without locks: a query that finds nothing costs no transaction.
   *
   * @param limit the maximum number
   * @return how many
   */
  public int prune(int limit) {
    List<Long> ids =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_PROGRESS.MESSAGE_ID)
                    .from(QUEUE_PROGRESS)
                    .leftJoin(QUEUE_MESSAGE.forceIndex("PRIMARY"))
                    .on(QUEUE_MESSAGE.ID.eq(QUEUE_PROGRESS.MESSAGE_ID))
                    .and(QUEUE_MESSAGE.CLAIM_NUMBER.eq(QUEUE_PROGRESS.CLAIM_NUMBER))
                    .and(QUEUE_MESSAGE.STATE.eq(DSL.inline(MessageState.CLAIMED)))
                    .where(QUEUE_MESSAGE.ID.isNull())
                    .and(IS_OLD)
                    .and(pruning.others())
                    .orderBy(QUEUE_PROGRESS.MESSAGE_ID)
                    .limit(limit)
                    .fetch(QUEUE_PROGRESS.MESSAGE_ID));
    return pruning.delete(ids, IS_OLD);
  }

  /** A handler's report of its progress. */
  public record ProgressReport(ClaimKey claim, long done, @Nullable Long total, String note) {

    /** The maximum length of a note; longer ones are truncated. */
    public static final int NOTE = 255;

    /**
     * Truncates the note.
     *
     * @throws IllegalArgumentException if a number is negative
     */
    public ProgressReport {
      if (done < 0 || (total != null && total < 0)) {
        throw new IllegalArgumentException(
            "progress must not be negative: %d of %s".formatted(done, total));
      }
      note = cut(note);
    }

    private static String cut(String note) {
      if (note.length() <= NOTE) {
        return note;
      }
      // Does not split a surrogate pair.
      return note.substring(0, Character.isHighSurrogate(note.charAt(NOTE - 1)) ? NOTE - 1 : NOTE);
    }
  }
}
