package io.rowqueue.worker.internal.doctor;

import io.rowqueue.NewMessage;
import io.rowqueue.QueueException;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.schedule.DeclaredSchedule;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.worker.internal.doctor.JooqDeclaredSchedules.Standing;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checks for schedules that no worker declares any more, for those that are due and do not run, and
 * for those delayed by a jump of the clock.
 */
final class ScheduleChecks {

  private static final String SUBJECT = "schedules";
  private static final int MOST_NAMED = 10;

  /** Workers confirm their declared schedules every six hours. */
  private static final Duration LONGEST_SILENT = Duration.ofDays(1);

  /** Smaller corrections of a clock are normal. */
  private static final Duration TOLERATED = Duration.ofMinutes(1);

  private final Transactions transactions;

  ScheduleChecks(Transactions transactions) {
    this.transactions = transactions;
  }

  /**
   * Returns the findings; empty if there are none.
   *
   * @param areTriggered whether a worker is alive to trigger them
   */
  List<Finding> find(boolean areTriggered) {
    List<Standing> all = JooqDeclaredSchedules.read(transactions);
    Stream<Finding> cut =
        all.size() < JooqDeclaredSchedules.MOST
            ? Stream.empty()
            : Stream.of(
                Finding.unknown(
                    SUBJECT,
                    "the times of only %,d schedules were checked"
                        .formatted(JooqDeclaredSchedules.MOST),
                    ""));
    Stream<Finding> forsaken =
        all.stream()
            .filter(ScheduleChecks::isForsaken)
            .limit(MOST_NAMED)
            .map(ScheduleChecks::forsaken);
    Stream<Finding> putOff =
        all.stream().map(ScheduleChecks::putOff).flatMap(Optional::stream).limit(MOST_NAMED);
    Stream<Finding> overdue =
        all.stream()
            .filter(schedule -> areTriggered && isOverdue(schedule))
            .map(this::overdue)
            .flatMap(Optional::stream)
            .limit(MOST_NAMED);
    return Stream.of(cut, forsaken, overdue, putOff).flatMap(findings -> findings).toList();
  }

  private static boolean isOverdue(Standing schedule) {
    return schedule.nextAt().isBefore(schedule.now().minus(TOLERATED));
  }

  /** Empty if it can run and its first run is not computed yet, which a worker soon does. */
  private Optional<Finding> overdue(Standing schedule) {
    String fault =
        new JooqSchedules(transactions)
            .find(schedule.name(), 0)
            .map(ScheduleDetails::fault)
            .map(why -> ": " + why)
            .orElse("");
    if (schedule.nextAt().equals(Instant.EPOCH) && fault.isEmpty()) {
      return Optional.empty();
    }
    return Optional.of(
        Finding.warning(
            SUBJECT,
            "schedule '%s' has been due since %s, and no worker runs it%s"
                .formatted(schedule.name(), seconds(schedule.nextAt()), fault),
            "the workers' logs say why (\"schedule %s cannot run on this worker\"); set it again, or run `queue-worker schedules remove %s`"
                .formatted(schedule.name(), schedule.name())));
  }

  private static boolean isForsaken(Standing schedule) {
    Instant declared = schedule.declaredAt();
    return declared != null && declared.isBefore(schedule.now().minus(LONGEST_SILENT));
  }

  private static Finding forsaken(Standing schedule) {
    return Finding.warning(
        SUBJECT,
        "schedule '%s' runs, but no worker has declared it since %s"
            .formatted(schedule.name(), seconds(schedule.declaredAt())),
        "if its module was removed, run `queue-worker schedules remove %s`; a worker that"
                .formatted(schedule.name())
            + " declares it reports it at startup");
  }

  private static Optional<Finding> putOff(Standing schedule) {
    return latest(schedule)
        .filter(latest -> schedule.nextAt().isAfter(latest.plus(TOLERATED)))
        .map(
            latest ->
                Finding.warning(
                    SUBJECT,
                    "schedule '%s' next runs at %s; its %s gives %s"
                        .formatted(
                            schedule.name(),
                            seconds(schedule.nextAt()),
                            schedule.cron() == null ? "rate" : "expression",
                            seconds(latest)),
                    "if no start time was set for it, the server's clock has jumped: `UPDATE"
                        + " queue_schedule SET next_at = '1970-01-01' WHERE name = '%s'` makes workers"
                            .formatted(schedule.name().replace("'", "''"))
                        + " recompute it"));
  }

  /**
   * Returns the latest plausible next run. A schedule that has not run yet may have any start time,
   * and unreadable ones are reported by the workers that run them.
   */
  private static Optional<Instant> latest(Standing schedule) {
    if (schedule.lastAt() == null) {
      return Optional.empty();
    }
    try {
      return clock(schedule)
          .map(clock -> clock.enqueues(NewMessage.of("doctor", "")))
          .map(clock -> DeclaredSchedule.of(clock, schedule.now()).next());
    } catch (QueueException | DateTimeException e) {
      return Optional.empty();
    }
  }

  private static Optional<Schedule> clock(Standing row) {
    if (row.cron() != null) {
      return Optional.of(Schedule.cron(row.name(), row.cron(), ZoneId.of(row.zone())));
    }
    return Optional.ofNullable(row.every()).map(every -> Schedule.every(row.name(), every));
  }

  private static String seconds(@Nullable Instant time) {
    return time == null ? "?" : time.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
