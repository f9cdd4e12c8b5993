package io.rowqueue.worker.internal.cli;

import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.time.Instant;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Adds a schedule, or changes it. */
@Command(
    name = "set",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker schedules set NAME --cron LINE [--zone ZONE] --topic TOPIC --payload JSON"
          + " --url URL [OPTIONS]",
      "   or: queue-worker schedules set NAME --every DURATION --topic TOPIC --payload JSON"
          + " --url URL [OPTIONS]"
    },
    description = {
      "Adds a schedule, or makes the one of that name all that the options say. It stays paused if"
          + " it is, and its next firing stays unless it gets another clock.",
      "What a worker has in its code is refused, unless --override is given: then it stays as it"
          + " is set here through every start of a worker, until `schedules reset`."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class ScheduleSetCommand extends OperatorCommand {

  @Mixin private final ScheduleOptions options = new ScheduleOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();

  @Parameters(paramLabel = "NAME", description = "The schedule's name.")
  private String name;

  @LineOnly
  @Option(
      names = "--override",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Also what a worker has in its code.")
  private boolean override;

  ScheduleSetCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    Schedule schedule = options.schedule(name);
    Schedules schedules =
        new JooqSchedules(queue(), PayloadCodec.json(), Wrapping.none(), limits.limits());
    change(
        "whether the schedule %1$s was set is not known; `schedules show %1$s` says it"
            .formatted(name),
        () -> {
          set(schedules, schedule);
          return "schedule %s set".formatted(name) + next(schedules);
        });
    return ExitCodes.OK;
  }

  private String next(Schedules schedules) {
    List<Instant> next = schedules.next(name, 1);
    return next.isEmpty() ? "" : "; its next firing is at " + next.get(0);
  }

  private void set(Schedules schedules, Schedule schedule) {
    if (override) {
      schedules.override(schedule);
      return;
    }
    try {
      schedules.set(schedule);
    } catch (RefusedException e) {
      throw CommandFailure.failed(e.getMessage() + " with --override", e);
    }
  }
}
