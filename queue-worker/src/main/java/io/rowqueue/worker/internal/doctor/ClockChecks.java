package io.rowqueue.worker.internal.doctor;

import io.rowqueue.internal.database.DatabaseClock;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jooq.Field;
import org.jooq.impl.DSL;

/** Compares clocks and time zones of server and client. */
final class ClockChecks {

  private static final Duration TOLERATED = Duration.ofSeconds(2);

  private static final Field<Long> EPOCH_MICROS =
      DSL.field("CAST(UNIX_TIMESTAMP(NOW(6)) * 1000000 AS SIGNED)", Long.class);

  private final Transactions transactions;

  ClockChecks(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Checks that UTC values arrive as UTC: time zone parameters in the URL make the driver shift
   * them.
   */
  List<Finding> timeZone() {
    ServerVariables server = ServerVariables.read(transactions);
    String zone = server.text("time_zone");
    String name = zone.equals("SYSTEM") ? "SYSTEM (" + server.text("system_time_zone") + ")" : zone;
    Duration shift =
        transactions.read(
            dsl -> {
              var row = dsl.select(DatabaseClock.now(), EPOCH_MICROS).fetchSingle();
              Instant counted =
                  Instant.EPOCH.plus(Duration.ofNanos(Math.multiplyExact(row.value2(), 1_000L)));
              return Duration.between(counted, row.value1());
            });
    return List.of(timeZone(name, shift));
  }

  static Finding timeZone(String name, Duration shift) {
    return shift.abs().compareTo(Duration.ofMinutes(1)) < 0
        ? Finding.ok("time-zone", name + "; RowQueue always writes UTC")
        : Finding.problem(
            "time-zone",
            "UTC is read with an offset of %d s; the session's zone is %s"
                .formatted(shift.toSeconds(), name),
            "remove time zone parameters and sessionVariables from --url");
  }

  List<Finding> difference() {
    long start = System.nanoTime();
    Instant there =
        transactions.read(dsl -> dsl.select(DatabaseClock.now()).fetchSingle().value1());
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
