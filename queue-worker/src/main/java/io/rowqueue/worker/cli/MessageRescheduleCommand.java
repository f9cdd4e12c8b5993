package io.rowqueue.worker.cli;

import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

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
      "Each is tried; one that is in flight, a dead letter or not there is refused and left as it"
          + " is, and the exit code is 1."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class MessageRescheduleCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = MessageIdText.class,
      description = "The messages' ids.")
  private List<MessageId> ids;

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

  MessageRescheduleCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    Due due = due();
    Messages messages = Messages.of(queue());
    return each(ids, id -> due.give(messages, id));
  }

  private Due due() {
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

  /** Gives a message its time and returns what to say. */
  private interface Due {
    String give(Messages messages, MessageId id);
  }
}
