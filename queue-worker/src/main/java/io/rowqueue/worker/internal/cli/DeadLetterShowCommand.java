package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.FailedAttempt;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one dead letter with its errors. */
@Command(
    name = "show",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker dead-letters show ID --url URL [--json] [OPTIONS]",
    description = {
      "Shows one dead letter with the error of every failed attempt. `messages show` has its"
          + " payload. Exits 1 if there is none of that id."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class DeadLetterShowCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "ID", converter = MessageIdText.class, description = "The message's id.")
  private MessageId id;

  DeadLetterShowCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    DeadLetters deadLetters = new JooqDeadLetters(queue());
    DeadLetter found =
        deadLetters
            .find(id)
            .orElseThrow(
                () ->
                    CommandFailure.failed(
                        "there is no dead letter %s; `messages show %s` says where the message is"
                            .formatted(id, id),
                        null));
    List<FailedAttempt> attempts = deadLetters.attempts(id);
    show(
        json.choose(
            () -> DeadLetterTexts.one(found, attempts),
            root -> DeadLetterTexts.fill(root, found, attempts)));
    return ExitCodes.OK;
  }
}
