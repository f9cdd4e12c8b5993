package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;

/** Removes schedules. */
@Command(
    name = "remove",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules remove NAME... --url URL [OPTIONS]",
    description = {
      "They are gone; messages that they have enqueued stay. What a worker has in its code comes"
          + " back with its next start; pause that instead.",
      ScheduleChangeCommand.EACH_IS_TRIED
    })
final class ScheduleRemoveCommand extends ScheduleChangeCommand {

  ScheduleRemoveCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Schedules schedules, String name) {
    return schedules.remove(name);
  }

  @Override
  String done() {
    return "removed";
  }
}
