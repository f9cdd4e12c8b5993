package io.rowqueue.worker.cli;

import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Takes messages out of the queue. */
@Command(
    name = "cancel",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages cancel ID... --url URL [OPTIONS]",
    description = {
      "Takes messages out of the queue for good, with their failed attempts.",
      "Each is tried; one that is in flight, a dead letter or not there is refused and left as it"
          + " is, and the exit code is 1."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class MessageCancelCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = MessageIdText.class,
      description = "The messages' ids.")
  private List<MessageId> ids;

  MessageCancelCommand(Surroundings surroundings) {
    super(surroundings);
  }

  @Override
  public Integer call() {
    Messages messages = Messages.of(queue());
    return each(
        ids,
        id -> {
          messages.cancel(id);
          return "message %s cancelled".formatted(id);
        });
  }
}
