package io.rowqueue.internal.archive;

import static io.rowqueue.internal.table.Tables.QUEUE_ARCHIVE;
import static io.rowqueue.internal.table.Tables.QUEUE_TOPIC;

import io.rowqueue.internal.database.IndependentParts;
import io.rowqueue.internal.database.Pruning;
import io.rowqueue.internal.database.RefusedRows;
import io.rowqueue.internal.database.SessionSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.operate.Archive;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.Record1;
import org.jooq.Record2;
import org.jooq.Result;
import org.jooq.Table;
import org.jooq.exception.DataAccessException;
import org.jooq.impl.DSL;
import org.jooq.impl.SQLDataType;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private final RefusedRows<Long> refused = Pruning.rows("the deletion of archived message");

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
    AtomicInteger left = new AtomicInteger(limit);
    return IndependentParts.sum(
        firstKeptDays().entrySet(),
        kept -> {
          int pruned = left.get() > 0 ? prune(kept.getKey(), kept.getValue(), left.get()) : 0;
          left.addAndGet(-pruned);
          return pruned;
        });
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
                    .and(refused.others(QUEUE_ARCHIVE.ID))
                    .orderBy(QUEUE_ARCHIVE.SETTLED_DAY, QUEUE_ARCHIVE.ID)
                    .limit(limit)
                    .fetch(QUEUE_ARCHIVE.ID));
    return RefusedRows.sum(
        refused.change(
            ids.stream().sorted().toList(),
            id -> id,
            some -> transactions.run(Transition.PRUNE, tx -> delete(tx.dsl(), some, firstKept))));
  }

  private static int delete(DSLContext dsl, List<Long> ids, LocalDate firstKept) {
    Result<Record2<Long, LocalDate>> locked =
        dsl.select(QUEUE_ARCHIVE.ID, QUEUE_ARCHIVE.SETTLED_DAY)
            .from(QUEUE_ARCHIVE.forceIndex("PRIMARY"))
            .where(QUEUE_ARCHIVE.ID.in(ids))
            .and(QUEUE_ARCHIVE.SETTLED_DAY.lt(firstKept))
            .and(QUEUE_ARCHIVE.TOPIC.isNotNull()) // see PrimaryKeyDelete
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

  /**
   * The archive's partitions: one per day, and one for later days. Does nothing if the table has no
   * partitions. Thread-safe.
   */
  private static final class ArchiveDays {

    private static final Logger LOG = LoggerFactory.getLogger(JooqArchive.class);

    private static final String LATER = "later";
    private static final int DAYS_AHEAD = 3;

    /** Older copies are in the first partition; the servers allow 8,192 partitions. */
    private static final int DAYS_BACK = 1_000;

    /**
     * Handlers that archive hold the table's metadata lock; a longer wait for it would block the
     * handlers behind it.
     */
    private static final int SHORT_WAIT_SECONDS = 1;

    private static final String WAIT = "lock_wait_timeout";

    /**
     * If two workers maintain the partitions at once, the second finds them already dropped or
     * created.
     */
    private static final Set<Integer> OTHERS_DID_IT = Set.of(1507, 1517);

    /**
     * Computed from the topics' settings and not from the existing copies, since a handler may be
     * writing a copy; never yesterday's partition, whose last transactions may still be open.
     */
    private static final String FIRST_KEPT =
        "SELECT LEAST(UTC_DATE() - INTERVAL 1 DAY, COALESCE(MIN(UTC_DATE() - INTERVAL"
            + " retention_days DAY), UTC_DATE())) FROM queue_topic";

    private final AtomicBoolean said = new AtomicBoolean();

    boolean partition(DSLContext dsl) {
      if (!names(dsl).isEmpty()) {
        return false;
      }
      LocalDate today = today(dsl);
      LocalDate first =
          dsl.fetchSingle(
                  "SELECT GREATEST(COALESCE(MIN(settled_day), UTC_DATE()), UTC_DATE() - INTERVAL ?"
                      + " DAY) FROM queue_archive",
                  DAYS_BACK)
              .get(0, LocalDate.class);
      String partitioning =
          "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day) ("
              + days(first, today.plusDays(DAYS_AHEAD))
              + ", PARTITION later VALUES LESS THAN (MAXVALUE))";
      SessionSettings.with(dsl, WAIT, 5, () -> dsl.execute(partitioning));
      return true;
    }

    /** Drops the partitions that no topic retains, and creates those of the next days. */
    void maintain(DSLContext dsl) {
      List<String> names = names(dsl);
      List<LocalDate> days =
          names.stream().filter(ArchiveDays::isDay).map(ArchiveDays::day).toList();
      // Only for the layout of days plus one later partition; an operator may have partitioned the
      // table differently.
      if (days.isEmpty() || days.size() != names.size() - 1 || !names.contains(LATER)) {
        return;
      }
      try {
        SessionSettings.with(
            dsl, WAIT, SHORT_WAIT_SECONDS, () -> makeComing(dsl, days) + dropOld(dsl, days));
      } catch (DataAccessException e) {
        failed(e);
      }
    }

    private void failed(DataAccessException failure) {
      SQLException error = failure.getCause(SQLException.class);
      boolean othersDidIt = error != null && OTHERS_DID_IT.contains(error.getErrorCode());
      if (!othersDidIt && said.compareAndSet(false, true)) {
        LOG.warn(
            "the archive's daily partitions cannot be dropped or created, so old copies are deleted"
                + " in batches: {}",
            FailureText.of(failure));
      }
    }

    private static int makeComing(DSLContext dsl, List<LocalDate> days) {
      LocalDate next = days.get(days.size() - 1).plusDays(1);
      LocalDate wanted = today(dsl).plusDays(DAYS_AHEAD);
      return next.isBefore(wanted)
          ? dsl.execute(
              "ALTER TABLE queue_archive REORGANIZE PARTITION later INTO ("
                  + days(next, wanted)
                  + ", PARTITION later VALUES LESS THAN (MAXVALUE))")
          : 0;
    }

    private static int dropOld(DSLContext dsl, List<LocalDate> days) {
      LocalDate firstKept = dsl.fetchSingle(FIRST_KEPT).get(0, LocalDate.class);
      String old =
          days.stream()
              .filter(day -> day.isBefore(firstKept))
              .map(ArchiveDays::name)
              .collect(Collectors.joining(", "));
      return old.isEmpty() ? 0 : dsl.execute("ALTER TABLE queue_archive DROP PARTITION " + old);
    }

    private static LocalDate today(DSLContext dsl) {
      return dsl.fetchSingle("SELECT UTC_DATE()").get(0, LocalDate.class);
    }

    /** The names of the partitions, in order; empty if the table has none. */
    private static List<String> names(DSLContext dsl) {
      return dsl.fetch(
              "SELECT partition_name FROM information_schema.partitions"
                  + " WHERE table_schema = DATABASE() AND table_name = 'queue_archive'"
                  + " AND partition_name IS NOT NULL ORDER BY partition_ordinal_position")
          .getValues(0, String.class);
    }

    private static boolean isDay(String name) {
      return name.matches("day_\\d{4}_\\d{2}_\\d{2}");
    }

    /** Definitions of the partitions from {@code first} to the day before {@code end}. */
    private static String days(LocalDate first, LocalDate end) {
      List<String> days = new ArrayList<>();
      for (LocalDate day = first; day.isBefore(end); day = day.plusDays(1)) {
        days.add("PARTITION %s VALUES LESS THAN ('%s')".formatted(name(day), day.plusDays(1)));
      }
      return String.join(", ", days);
    }

    private static String name(LocalDate day) {
      return "day_" + day.toString().replace('-', '_');
    }

    private static LocalDate day(String name) {
      return LocalDate.parse(name.substring("day_".length()).replace('_', '-'));
    }
  }
}
