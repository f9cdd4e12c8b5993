package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.Messages;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Changes messages that nobody has claimed, one after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the field
abstract class MessageChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String EACH_IS_TRIED =
      "Each is tried; one that is in flight, a dead letter or not there is refused and left as it"
          + " is, and the exit code is 1.";

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = MessageIdText.class,
      description = "The messages' ids.")
  private List<MessageId> ids;

  MessageChangeCommand(CommandIo io) {
    super(io);
  }

  /** What the options ask for; refuses what makes no sense before anything is tried. */
  abstract Change change();

  @Override
  public final Integer call() {
    Change change = change();
    Messages messages = new JooqMessages(queue());
    return each(ids, id -> change.apply(messages, id));
  }

  /** Changes one message and returns what to say. */
  interface Change {
    String apply(Messages messages, MessageId id);
  }
}
