package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.DSLContext;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Compares clocks and time zones of server and client. */
final class ClockChecks {

  private static final Duration TOLERATED = Duration.ofSeconds(2);

  private static final Field<Long> EPOCH_MICROS =
      DSL.field("CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)", Long.class);

  private static final Field<String> ZONE =
      DSL.field(
          "IF(@@time_zone = 'SYSTEM', CONCAT('SYSTEM (', @@system_time_zone, ')'), @@time_zone)",
          String.class);

  private final Transactions transactions;

  ClockChecks(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Checks that UTC values arrive as UTC: time zone parameters in the URL make the driver shift
   * them.
   */
  List<Finding> timeZone() {
    var row =
        transactions.read(dsl -> dsl.select(DatabaseClock.now(), EPOCH_MICROS, ZONE).fetchSingle());
    Instant counted =
        Instant.EPOCH.plus(Duration.ofNanos(Math.multiplyExact(row.value2(), 1_000L)));
    return List.of(timeZone(row.value3(), Duration.between(counted, row.value1())));
  }

  static Finding timeZone(String name, Duration shift) {
    return shift.abs().compareTo(Duration.ofMinutes(1)) < 0
        ? Finding.ok("time-zone", name + "; RowQueue always writes UTC")
        : Finding.problem(
            "time-zone",
            "UTC is read with an offset of %s; the session's zone is %s"
                .formatted(Finding.duration(shift), name),
            "remove time zone parameters and sessionVariables from --url");
  }

  List<Finding> difference() {
    return transactions.read(ClockChecks::difference);
  }

  private static List<Finding> difference(DSLContext dsl) {
    long start = System.nanoTime();
    Instant there = dsl.select(DatabaseClock.now()).fetchSingle().value1();
    Duration half = Duration.ofNanos((System.nanoTime() - start) / 2);
    Duration ahead = Duration.between(Instant.now().minus(half), there);
    return List.of(
        ahead.abs().minus(half).compareTo(TOLERATED) > 0
            ? Finding.warning(
                "clock",
                "the server's clock is %.1f s %s this host's"
                    .formatted(
                        ahead.abs().toMillis() / 1_000.0,
                        ahead.isNegative() ? "behind" : "ahead of"),
                "synchronize both with NTP; the server's clock decides when messages are due, logs"
                    + " and applications use the hosts' clocks")
            : Finding.ok("clock", "%d ms from this host's".formatted(ahead.abs().toMillis())));
  }
}
