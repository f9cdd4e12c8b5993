package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.operate.BatchDetails;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows batches with their progress. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker batches list --url URL [--all] [--limit N] [--json] [OPTIONS]",
    description = {
      "Shows the batches that are not complete, the newest first: how many members each has, and"
          + " what has become of them. Locks nothing."
    })
final class BatchListCommand extends OperatorCommand {

  private static final int MOST = 10_000;

  @Mixin private final JsonOptions json = new JsonOptions();

  @LineOnly
  @Option(
      names = "--all",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Those that were completed in the last week, too.")
  private boolean all;

  @LineOnly
  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many are shown at most, 1 to 10000 (default: 100).")
  private int limit = 100;

  BatchListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    if (limit < 1 || limit > MOST) {
      throw CommandFailure.usage("--limit must lie between 1 and 10000, not " + limit);
    }
    List<BatchDetails> found = new JooqBatches(queue()).list(all, Long.MAX_VALUE, limit);
    show(json.choose(() -> BatchTexts.table(found), root -> BatchTexts.fill(root, found)));
    return ExitCodes.OK;
  }
}
