package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.operate.DeadLetters;
import java.util.List;
import picocli.CommandLine.Command;

/** Deletes dead letters for good. */
@Command(
    name = "delete",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker dead-letters delete ID... --url URL [--dry-run] [OPTIONS]",
      "   or: queue-worker dead-letters delete --all [FILTERS] --url URL [--limit N] [--dry-run]"
          + " [OPTIONS]"
    },
    description = {
      "Deletes dead letters and their failed attempts for good.",
      DeadLetterChangeCommand.WITH_ALL_OR_IDS
    })
final class DeadLetterDeleteCommand extends DeadLetterChangeCommand {

  DeadLetterDeleteCommand(CommandIo io) {
    super(io);
  }

  @Override
  String done() {
    return "deleted";
  }

  @Override
  int apply(DeadLetters deadLetters, List<MessageId> some) {
    return deadLetters.discardAll(some);
  }
}
