package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;

/** Takes overrides back. */
@Command(
    name = "reset",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules reset NAME... --url URL [OPTIONS]",
    description = {
      "What schedules set --override has changed is left to the code again: the next start of a"
          + " worker that has it in its code sets it.",
      ScheduleChangeCommand.EACH_IS_TRIED
    })
final class ScheduleResetCommand extends ScheduleChangeCommand {

  ScheduleResetCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Schedules schedules, String name) {
    return schedules.reset(name);
  }

  @Override
  String done() {
    return "left to the code";
  }
}
