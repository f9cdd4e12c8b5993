package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.operate.DeadLetters;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Brings dead letters back into the queue. */
@Command(
    name = "redrive",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker dead-letters redrive ID... --url URL [--dry-run] [OPTIONS]",
      "   or: queue-worker dead-letters redrive --all [FILTERS] --url URL [--limit N]"
          + " [--per-second N] [--dry-run] [OPTIONS]"
    },
    description = {
      "Makes dead letters available again, with their ids kept and their attempts at zero."
          + " Members of a batch that is complete run without it; those of one that is cancelled"
          + " and not complete are cancelled.",
      DeadLetterChangeCommand.WITH_ALL_OR_IDS
    })
final class DeadLetterRedriveCommand extends DeadLetterChangeCommand {

  @Option(
      names = "--per-second",
      paramLabel = "N",
      description = "The most that are redriven in a second (default: no limit).")
  private @Nullable Integer perSecond;

  DeadLetterRedriveCommand(CommandIo io) {
    super(io);
  }

  @Override
  String done() {
    return "redriven";
  }

  @Override
  int apply(DeadLetters deadLetters, List<MessageId> some) {
    return deadLetters.redriveAll(some);
  }

  @Override
  Pace pace() {
    return perSecond == null ? Pace.unlimited() : Pace.perSecond(perSecond);
  }
}
