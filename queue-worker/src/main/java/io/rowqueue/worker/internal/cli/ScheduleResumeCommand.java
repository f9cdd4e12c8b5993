package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;

/** Lets schedules fire again. */
@Command(
    name = "resume",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker schedules resume NAME... --url URL [OPTIONS]",
    description = {
      "They fire again; what each does about the firings that the pause took is its own rule.",
      ScheduleChangeCommand.EACH_IS_TRIED
    })
final class ScheduleResumeCommand extends ScheduleChangeCommand {

  ScheduleResumeCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Schedules schedules, String name) {
    return schedules.resume(name);
  }

  @Override
  String done() {
    return "resumed";
  }
}
