package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.InvalidScheduleException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a schedule is to be; taken from the command line only. */
final class ScheduleOptions {

  @LineOnly
  @Option(
      names = "--cron",
      paramLabel = "LINE",
      description =
          "When, as a crontab line of five fields in quotes, such as '30 6 * * 1-5', or @hourly to"
              + " @yearly.")
  private @Nullable String cron;

  @LineOnly
  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      converter = ZoneText.class,
      description = "Whose wall clock --cron means (default: UTC).")
  private @Nullable ZoneId zone;

  @LineOnly
  @Option(
      names = "--every",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "When, as a fixed rate of at least a second; first one step from now.")
  private @Nullable Duration every;

  @LineOnly
  @Option(
      names = "--starting-at",
      paramLabel = "INSTANT",
      converter = Moment.InstantText.class,
      description =
          "The first firing is then or after it; heeded for a new schedule or another clock.")
  private @Nullable Instant startingAt;

  @LineOnly
  @Option(
      names = "--missed",
      paramLabel = "RULE",
      converter = MissedText.class,
      description =
          "What happens to firings for which no worker was there: skip them, enqueue the latest"
              + " once, or all of them (default: once).")
  private @Nullable MisfirePolicy missed;

  @LineOnly
  @Option(
      names = "--grace",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "For skip: a firing that is later than this was missed (default: 1m).")
  private @Nullable Duration grace;

  @LineOnly
  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      converter = TopicText.class,
      description = "Where its messages go. Required.")
  private @Nullable Topic topic;

  @LineOnly
  @Option(
      names = "--payload",
      paramLabel = "JSON",
      description = "The payload of its messages. Required.")
  private @Nullable String payload;

  @LineOnly
  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "The priority of its messages, -128 to 127; lower is sooner (default: 0).")
  private @Nullable Integer priority;

  @LineOnly
  @Option(
      names = "--header",
      paramLabel = "NAME=VALUE",
      split = "\n",
      description = "A header of its messages; may be given more than once.")
  private @Nullable List<String> headers;

  /** The schedule {@code name}; refuses what makes no sense before anything is tried. */
  Schedule schedule(String name) {
    try {
      Schedule schedule = clock(name).enqueues(message());
      schedule = startingAt == null ? schedule : schedule.startingAt(startingAt);
      schedule = missed == null ? schedule : schedule.onMisfire(missed);
      return grace == null ? schedule : schedule.withGrace(grace);
    } catch (InvalidScheduleException | InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  private Schedule clock(String name) {
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
    if (topic == null) {
      throw CommandFailure.usage("no topic is named; give --topic, as in --topic email.send");
    }
    if (payload == null) {
      throw CommandFailure.usage("no payload is given; give --payload, as in --payload '{}'");
    }
    NewMessage message = NewMessage.of(topic, EnqueueCommand.bytes(payload));
    message = priority == null ? message : message.withPriority(priority);
    for (Map.Entry<String, String> header : MessageOptions.pairs(headers).entrySet()) {
      message = message.withHeader(header.getKey(), header.getValue());
    }
    return message;
  }
}
