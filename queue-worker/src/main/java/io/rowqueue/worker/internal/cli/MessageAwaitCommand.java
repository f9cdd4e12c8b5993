package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import java.time.Duration;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Waits for what a message's handler gives back. */
@Command(
    name = "await",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker messages await ID --url URL [--timeout DURATION] [OPTIONS]",
    description = {
      "Waits until a message is handled, and prints what its handler gave back, as it is kept"
          + " (JSON, usually), or null. A result that is there already is printed at once. Only for"
          + " topics whose handlers are bound with withResults().",
      "Exits 1 if it takes longer than --timeout, if the message is or becomes a dead letter, or if"
          + " it is gone without a result. The account needs `grants result-reader`."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the fields
final class MessageAwaitCommand extends OperatorCommand {

  @Parameters(paramLabel = "ID", converter = MessageIdText.class, description = "The message's id.")
  private MessageId id;

  @LineOnly
  @Option(
      names = "--timeout",
      paramLabel = "DURATION",
      converter = DurationText.class,
      defaultValue = "30s",
      description = "How long to wait at most (default: ${DEFAULT-VALUE}).")
  private Duration timeout;

  MessageAwaitCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (timeout.isNegative()) {
      throw CommandFailure.usage("--timeout must not be negative");
    }
    show(AwaitedResult.text(reach(), results -> results.await(id, byte[].class, timeout)));
    return ExitCodes.OK;
  }
}
