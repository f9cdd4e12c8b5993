package io.rowqueue.internal.archive;

import io.rowqueue.internal.text.FailureText;
import java.sql.SQLException;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive's partitions: one per day, and one for later days. Does nothing if the table has no
 * partitions. Thread-safe.
 */
final class ArchiveDays {

  private static final Logger LOG = LoggerFactory.getLogger(ArchiveDays.class);

  private static final String LATER = "later";
  private static final int DAYS_AHEAD = 3;

  /** Older copies are in the first partition; the servers allow 8,192 partitions. */
  private static final int DAYS_BACK = 1_000;

  /**
   * Handlers that archive hold the table's metadata lock; a longer wait for it would block the
   * handlers behind it.
   */
  private static final String SHORT_WAIT = "SET SESSION lock_wait_timeout = 1";

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
      "SELECT LEAST(UTC_DATE() - INTERVAL 1 DAY, COALESCE(MIN(UTC_DATE() - INTERVAL retention_days"
          + " DAY), UTC_DATE())) FROM queue_topic";

  private static final String USUAL_WAIT = "SET SESSION lock_wait_timeout = DEFAULT";

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
    dsl.execute("SET SESSION lock_wait_timeout = 5");
    try {
      dsl.execute(
          "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day) ("
              + days(first, today.plusDays(DAYS_AHEAD))
              + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
    } finally {
      dsl.execute(USUAL_WAIT);
    }
    return true;
  }

  /** Drops the partitions that no topic retains, and creates those of the next days. */
  void maintain(DSLContext dsl) {
    List<String> names = names(dsl);
    List<LocalDate> days = names.stream().filter(ArchiveDays::isDay).map(ArchiveDays::day).toList();
    // Only for the layout of days plus one later partition; an operator may have partitioned the
    // table differently.
    if (days.isEmpty() || days.size() != names.size() - 1 || !names.contains(LATER)) {
      return;
    }
    try {
      dsl.execute(SHORT_WAIT);
      makeComing(dsl, days);
      dropOld(dsl, days);
    } catch (DataAccessException e) {
      failed(e);
    } finally {
      dsl.execute(USUAL_WAIT);
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

  private static void makeComing(DSLContext dsl, List<LocalDate> days) {
    LocalDate next = days.get(days.size() - 1).plusDays(1);
    LocalDate wanted = today(dsl).plusDays(DAYS_AHEAD);
    if (next.isBefore(wanted)) {
      dsl.execute(
          "ALTER TABLE queue_archive REORGANIZE PARTITION later INTO ("
              + days(next, wanted)
              + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
    }
  }

  private static void dropOld(DSLContext dsl, List<LocalDate> days) {
    LocalDate firstKept = dsl.fetchSingle(FIRST_KEPT).get(0, LocalDate.class);
    String old =
        days.stream()
            .filter(day -> day.isBefore(firstKept))
            .map(ArchiveDays::name)
            .collect(Collectors.joining(", "));
    if (!old.isEmpty()) {
      dsl.execute("ALTER TABLE queue_archive DROP PARTITION " + old);
    }
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
