package io.rowqueue.internal.archive;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.operate.Archive;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Result;
import org.jooq.Table;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;

/*
 * Retention is per topic, so DROP PARTITION alone cannot implement it: partitions are days, and
 * topics differ in their retention. Days beyond every retention are dropped as a whole; other
 * copies are deleted in batches.
 */
public final class JooqArchive implements Archive {

  /** The day by the server's clock, in UTC whatever the session's zone. */
  static final Field<LocalDate> TODAY = DSL.field("UTC_DATE()", SQLDataType.LOCALDATE);

  private final Transactions transactions;
  private final ArchiveDays days = new ArchiveDays();

  public JooqArchive(Transactions transactions) {
    this.transactions = transactions;
  }

  @Override
  public boolean partitionByDay() {
    return transactions.read(days::partition);
  }

  @Override
  public void maintainPartitions() {
    transactions.read(
        dsl -> {
          days.maintain(dsl);
          return true;
        });
  }

  @Override
  public int prune(int limit) {
    int pruned = 0;
    for (Map.Entry<String, LocalDate> kept : firstKeptDays().entrySet()) {
      if (pruned < limit) {
        pruned += prune(kept.getKey(), kept.getValue(), limit - pruned);
      }
    }
    return pruned;
  }

  /** For each topic with a retention, the first day that is kept. */
  private Map<String, LocalDate> firstKeptDays() {
    Table<Record1<String>> archived =
        DSL.selectDistinct(QUEUE_ARCHIVE.TOPIC).from(QUEUE_ARCHIVE).asTable("archived");
    Field<String> topic = archived.field(QUEUE_ARCHIVE.TOPIC);
    return transactions.read(
        dsl ->
            dsl.select(topic, TODAY, QUEUE_TOPIC.RETENTION_DAYS)
                .from(archived)
                .leftJoin(QUEUE_TOPIC)
                .on(QUEUE_TOPIC.TOPIC.eq(topic))
                .fetchMap(topic, row -> firstKeptDay(row.value2(), row.value3())));
  }

  private static LocalDate firstKeptDay(LocalDate today, @Nullable Integer days) {
    return days == null ? today.plusDays(1) : today.minusDays(days);
  }

  /** Reads ids first, without locks: a query that finds nothing costs no transaction. */
  private int prune(String topic, LocalDate firstKept, int limit) {
    List<Long> ids =
        transactions.read(
            dsl ->
                dsl.select(QUEUE_ARCHIVE.ID)
                    .from(QUEUE_ARCHIVE.forceIndex("queue_archive_by_topic"))
                    .where(QUEUE_ARCHIVE.TOPIC.eq(topic))
                    .and(QUEUE_ARCHIVE.SETTLED_DAY.lt(firstKept))
                    .orderBy(QUEUE_ARCHIVE.SETTLED_DAY, QUEUE_ARCHIVE.ID)
                    .limit(limit)
                    .fetch(QUEUE_ARCHIVE.ID));
    return ids.isEmpty()
        ? 0
        : transactions.run(
            Transition.PRUNE, tx -> delete(tx.dsl(), ids.stream().sorted().toList(), firstKept));
  }

  private static int delete(DSLContext dsl, List<Long> ids, LocalDate firstKept) {
    Result<Record2<Long, LocalDate>> locked =
        dsl.select(QUEUE_ARCHIVE.ID, QUEUE_ARCHIVE.SETTLED_DAY)
            .from(QUEUE_ARCHIVE.forceIndex("PRIMARY"))
            .where(QUEUE_ARCHIVE.ID.in(ids))
            .and(QUEUE_ARCHIVE.SETTLED_DAY.lt(firstKept))
            .forUpdate()
            .skipLocked()
            .fetch();
    // One by one, by the whole key. With one statement for all, MariaDB locks the row after each
    // range of days, and MySQL may scan the whole table even with a forced index; either waits for
    // a handler that is writing its copy.
    return locked.stream().mapToInt(copy -> delete(dsl, copy)).sum();
  }

  private static int delete(DSLContext dsl, Record2<Long, LocalDate> copy) {
    return dsl.deleteFrom(QUEUE_ARCHIVE)
        .where(QUEUE_ARCHIVE.ID.eq(copy.value1()))
        .and(QUEUE_ARCHIVE.SETTLED_DAY.eq(copy.value2()))
        .execute();
  }
}
