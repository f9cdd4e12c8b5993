package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.ScheduleDetails;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows schedules with their next firings. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules list --url URL [--next N] [--json] [OPTIONS]",
    description = {
      "Shows every schedule: when it fires, what happens to firings that were missed, and its next"
          + " ones, in UTC; those of a paused one as if it were not. Locks nothing."
    })
final class ScheduleListCommand extends OperatorCommand {

  @Mixin private final NextOptions next = new NextOptions();
  @Mixin private final JsonOptions json = new JsonOptions();

  ScheduleListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    int firings = next.firings();
    List<ScheduleDetails> schedules = new JooqSchedules(queue()).list(firings);
    show(
        json.choose(
            () -> ScheduleTexts.table(schedules), root -> ScheduleTexts.fill(root, schedules)));
    return ExitCodes.OK;
  }
}
