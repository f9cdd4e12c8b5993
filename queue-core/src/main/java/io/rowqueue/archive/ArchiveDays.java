package io.rowqueue.archive;

import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jooq.DSLContext;
import org.jooq.exception.DataAccessException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The archive's partitions, one a day and one for what comes after. Where the table has none, there
 * is nothing to do. Thread-safe.
 */
final class ArchiveDays {

  private static final Logger LOG = LoggerFactory.getLogger(ArchiveDays.class);

  private static final String LATER = "later";
  private static final int DAYS_AHEAD = 3;

  /** What is older lies in the first partition; the servers allow 8,192 of them. */
  private static final int DAYS_BACK = 1_000;

  /** Handlers that archive hold the table; whoever waits longer for it holds up those behind. */
  private static final String SHORT_WAIT = "SET SESSION lock_wait_timeout = 1";

  private final AtomicBoolean said = new AtomicBoolean();

  void partition(DSLContext dsl) {
    if (!ends(dsl).isEmpty()) {
      return;
    }
    LocalDate today = today(dsl);
    LocalDate first =
        dsl.fetchSingle(
                "SELECT GREATEST(COALESCE(MIN(settled_day), UTC_DATE()), UTC_DATE() - INTERVAL ?"
                    + " DAY) FROM queue_archive",
                DAYS_BACK)
            .get(0, LocalDate.class);
    dsl.execute(
        "ALTER TABLE queue_archive PARTITION BY RANGE COLUMNS (settled_day) ("
            + days(first, today.plusDays(DAYS_AHEAD))
            + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
  }

  /** Drops the days before all of {@code firstKept}, and makes those that come. */
  void tend(DSLContext dsl, Collection<LocalDate> firstKept) {
    List<LocalDate> ends = ends(dsl);
    if (ends.isEmpty()) {
      return;
    }
    try {
      dsl.execute(SHORT_WAIT);
      makeComing(dsl, ends);
      dropOld(dsl, ends, firstKept);
    } catch (DataAccessException e) {
      if (said.compareAndSet(false, true)) {
        LOG.warn(
            "the archive's days cannot be dropped or made as partitions, old copies go in batches:"
                + " {}",
            e.getMessage());
      }
    } finally {
      dsl.execute("SET SESSION lock_wait_timeout = DEFAULT");
    }
  }

  private static void makeComing(DSLContext dsl, List<LocalDate> ends) {
    LocalDate last = ends.get(ends.size() - 1);
    LocalDate wanted = today(dsl).plusDays(DAYS_AHEAD);
    // The end of a day's partition is the day after it.
    if (last.isBefore(wanted)) {
      dsl.execute(
          "ALTER TABLE queue_archive REORGANIZE PARTITION later INTO ("
              + days(last, wanted)
              + ", PARTITION later VALUES LESS THAN (MAXVALUE))");
    }
  }

  private static void dropOld(
      DSLContext dsl, List<LocalDate> ends, Collection<LocalDate> firstKept) {
    LocalDate first = firstKept.stream().min(LocalDate::compareTo).orElseGet(() -> today(dsl));
    String old =
        ends.stream()
            .filter(end -> !end.isAfter(first))
            .map(end -> name(end.minusDays(1)))
            .collect(Collectors.joining(", "));
    if (!old.isEmpty()) {
      dsl.execute("ALTER TABLE queue_archive DROP PARTITION " + old);
    }
  }

  private static LocalDate today(DSLContext dsl) {
    return dsl.fetchSingle("SELECT UTC_DATE()").get(0, LocalDate.class);
  }

  /** The day after each day that has a partition, in order; empty if the table has none. */
  private static List<LocalDate> ends(DSLContext dsl) {
    return dsl
        .fetch(
            "SELECT partition_description FROM information_schema.partitions"
                + " WHERE table_schema = DATABASE() AND table_name = 'queue_archive'"
                + " AND partition_name IS NOT NULL AND partition_name <> ?"
                + " ORDER BY partition_ordinal_position",
            LATER)
        .getValues(0, String.class)
        .stream()
        .map(end -> LocalDate.parse(end.replace("'", "")))
        .toList();
  }

  /** Partitions of the days from {@code first} to the one before {@code end}. */
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
}
