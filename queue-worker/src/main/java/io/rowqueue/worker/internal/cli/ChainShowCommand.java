package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.operate.ChainDetails;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Shows one chain. */
@Command(
    name = "show",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker chains show ID --url URL [--json] [OPTIONS]",
    description = {
      "Shows which message a chain has come to, and the steps to come. Exits 1 if it has ended, or"
          + " never existed."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class ChainShowCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "ID", converter = BatchIdText.class, description = "The chain's id.")
  private Long id;

  ChainShowCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    ChainDetails found =
        new JooqChains(queue())
            .find(id)
            .orElseThrow(
                () ->
                    CommandFailure.failed(
                        "there is no chain %d; it has ended, or never existed".formatted(id),
                        null));
    show(json.choose(() -> BatchTexts.of(found), root -> BatchTexts.fill(root, found)));
    return ExitCodes.OK;
  }
}
