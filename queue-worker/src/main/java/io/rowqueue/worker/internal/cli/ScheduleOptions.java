package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What a schedule is to be. */
final class ScheduleOptions {

  @Mixin private final MessageOptions message = new MessageOptions();

  @Option(
      names = "--cron",
      paramLabel = "LINE",
      description =
          "Cron expression of five fields, quoted, such as '30 6 * * 1-5', or @hourly to @yearly.")
  private @Nullable String cron;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description = "Time zone of --cron (default: UTC).")
  private @Nullable ZoneId zone;

  @Option(
      names = "--every",
      paramLabel = "DURATION",
      description = "Fixed rate of at least 1s. The first run is one interval from now.")
  private @Nullable Duration every;

  @Option(
      names = "--starting-at",
      paramLabel = "INSTANT",
      description = "Earliest first run. Applies to a new schedule, and to one whose times change.")
  private @Nullable Instant startingAt;

  @Option(
      names = "--missed",
      paramLabel = "RULE",
      converter = EnumConverter.MissedRules.class,
      completionCandidates = EnumConverter.MissedRules.class,
      description =
          "What to do with runs missed because no worker ran: skip them, enqueue only the latest"
              + " (once), or enqueue all (default: once).")
  private @Nullable MisfirePolicy missed;

  @Option(
      names = "--grace",
      paramLabel = "DURATION",
      description = "With --missed skip: a run that is later than this is missed (default: 1m).")
  private @Nullable Duration grace;

  @Option(
      names = "--payload",
      paramLabel = "JSON",
      description = "Payload of the messages. Required.")
  private @Nullable String payload;

  /** The schedule {@code name}; refuses what makes no sense before anything is tried. */
  Schedule schedule(String name) {
    try {
      Schedule schedule = times(name).enqueues(message());
      schedule = startingAt == null ? schedule : schedule.startingAt(startingAt);
      schedule = missed == null ? schedule : schedule.onMisfire(missed);
      return grace == null ? schedule : schedule.withGrace(grace);
    } catch (InvalidScheduleException | InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  private Schedule times(String name) {
    if (cron != null && every == null) {
      return Schedule.cron(name, cron, zone == null ? ZoneOffset.UTC : zone);
    }
    if (every != null && cron == null) {
      if (zone != null) {
        throw CommandFailure.usage("--zone is for --cron; a rate has none");
      }
      return Schedule.every(name, every);
    }
    throw CommandFailure.usage("give either --cron or --every");
  }

  private NewMessage message() {
    MessageOptions.Template template = message.template(null, null);
    if (payload == null) {
      throw CommandFailure.usage("no payload is given; give --payload, as in --payload '{}'");
    }
    return template.message(MessageOptions.json(payload));
  }
}
