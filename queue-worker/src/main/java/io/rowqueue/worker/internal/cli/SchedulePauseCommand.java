package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;

/** Keeps schedules from firing. */
@Command(
    name = "pause",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules pause NAME... --url URL [OPTIONS]",
    description = {
      "They do not fire from now on, until they are resumed; a firing under way comes first.",
      ScheduleChangeCommand.EACH_IS_TRIED
    })
final class SchedulePauseCommand extends ScheduleChangeCommand {

  SchedulePauseCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Schedules schedules, String name) {
    return schedules.pause(name);
  }

  @Override
  String done() {
    return "paused";
  }
}
