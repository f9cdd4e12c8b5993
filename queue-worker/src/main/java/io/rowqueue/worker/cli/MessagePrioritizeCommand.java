package io.rowqueue.worker.cli;

import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Gives messages another priority. */
@Command(
    name = "prioritize",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages prioritize ID... --priority N --url URL [OPTIONS]",
    description = {
      "Gives messages another priority.",
      "Each is tried; one that is in flight, a dead letter or not there is refused and left as it"
          + " is, and the exit code is 1."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class MessagePrioritizeCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = MessageIdText.class,
      description = "The messages' ids.")
  private List<MessageId> ids;

  @LineOnly
  @Option(
      names = "--priority",
      paramLabel = "N",
      description = "-128 to 127; lower is sooner. Required.")
  private @Nullable Integer priority;

  MessagePrioritizeCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    if (priority == null) {
      throw CommandFailure.usage("no priority is named; give --priority, as in --priority -5");
    }
    int value = priority;
    if (value < Byte.MIN_VALUE || value > Byte.MAX_VALUE) {
      throw CommandFailure.usage("--priority must lie between -128 and 127, not " + value);
    }
    Messages messages = Messages.of(queue());
    return each(
        ids,
        id -> {
          messages.prioritize(id, value);
          return "message %s has priority %d".formatted(id, value);
        });
  }
}
