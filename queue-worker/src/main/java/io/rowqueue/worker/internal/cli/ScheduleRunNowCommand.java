package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;

/** Enqueues the messages of schedules out of turn. */
@Command(
    name = "run-now",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules run-now NAME... --url URL [OPTIONS]",
    description = {
      "Enqueues their messages now, and leaves their next firings as they are; paused ones, too.",
      ScheduleChangeCommand.EACH_IS_TRIED
    })
final class ScheduleRunNowCommand extends ScheduleChangeCommand {

  ScheduleRunNowCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Schedules schedules, String name) {
    return schedules.runNow(name);
  }

  @Override
  String done() {
    return "enqueued its message";
  }
}
