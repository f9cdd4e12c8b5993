package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows all that is known of a schedule. */
@Command(
    name = "show",
    versionProvider = VersionText.class,
    customSynopsis =
        "queue-worker schedules show NAME --url URL [--next N] [--with-payload] [--json] [OPTIONS]",
    description = {
      "Shows a schedule, who has set it, its last and its next firings in UTC, and why a worker of"
          + " this version could not fire it, if so. Exits 1 if there is none of that name.",
      "Payload and headers may hold secrets; they are shown only with --with-payload, and only"
          + " their first 4,096 characters."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class ScheduleShowCommand extends OperatorCommand {

  @Mixin private final NextOptions next = new NextOptions();
  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "NAME", description = "The schedule's name.")
  private String name;

  @Option(
      names = "--with-payload",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Show headers and payload, too.")
  private boolean body;

  ScheduleShowCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    int firings = next.firings();
    Schedules schedules = new JooqSchedules(queue());
    ScheduleDetails found =
        schedules
            .find(name, firings)
            .orElseThrow(
                () -> CommandFailure.failed(ScheduleChangeCommand.unknown(schedules, name), null));
    show(
        json.choose(
            () -> ScheduleTexts.of(found, body), root -> ScheduleTexts.fill(root, found, body)));
    return ExitCodes.OK;
  }
}
