package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Makes messages due at another time. */
@Command(
    name = "reschedule",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker messages reschedule ID... --delay DURATION --url URL [OPTIONS]",
      "   or: queue-worker messages reschedule ID... --at INSTANT --url URL [OPTIONS]"
    },
    description = {
      "Makes messages due at another time; a delay of 0s, or an instant that has passed, makes them"
          + " available.",
      MessageChangeCommand.EACH_IS_TRIED
    })
final class MessageRescheduleCommand extends MessageChangeCommand {

  @LineOnly
  @Option(
      names = "--delay",
      paramLabel = "DURATION",
      converter = DurationText.class,
      description = "How long from now, by the database's clock.")
  private @Nullable Duration delay;

  @LineOnly
  @Option(
      names = "--at",
      paramLabel = "INSTANT",
      converter = Moment.InstantText.class,
      description = "When, with the zone, such as 2026-01-31T08:00:00Z.")
  private @Nullable Instant at;

  MessageRescheduleCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    if ((delay == null) == (at == null)) {
      throw CommandFailure.usage("give either --delay or --at");
    }
    if (at != null) {
      Instant instant = at;
      return (messages, id) -> {
        messages.reschedule(id, instant);
        return "message %s is due at %s".formatted(id, instant);
      };
    }
    Duration length = delay == null ? Duration.ZERO : delay;
    if (length.isNegative()) {
      throw CommandFailure.usage("--delay must not be negative");
    }
    return (messages, id) -> {
      messages.reschedule(id, length);
      return length.isZero()
          ? "message %s is available".formatted(id)
          : "message %s is due in %s".formatted(id, DurationText.of(length));
    };
  }
}
