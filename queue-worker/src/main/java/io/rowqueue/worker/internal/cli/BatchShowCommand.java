package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.operate.BatchDetails;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one batch. */
@Command(
    name = "show",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker batches show ID --url URL [--json] [OPTIONS]",
    description = {
      "Shows a batch and what has become of its members. Exits 1 if there is none of that id; those"
          + " that were complete for a week are forgotten."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class BatchShowCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "ID", converter = BatchIdText.class, description = "The batch's id.")
  private Long id;

  BatchShowCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    BatchDetails found =
        new JooqBatches(queue())
            .find(id)
            .orElseThrow(
                () ->
                    CommandFailure.failed(
                        "there is no batch %d; it was complete for a week, or never existed"
                            .formatted(id),
                        null));
    show(json.choose(() -> BatchTexts.of(found), root -> BatchTexts.fill(root, found)));
    return ExitCodes.OK;
  }
}
