package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.operate.Chains;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Ends chains. */
@Command(
    name = "cancel",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker chains cancel ID... --url URL [OPTIONS]",
    description = {
      "Deletes the steps to come, and the message that the chain has come to if no worker has"
          + " claimed it. One that is being handled, or is a dead letter and redriven, is its"
          + " last.",
      BatchChangeCommand.EACH_IS_TRIED
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class ChainCancelCommand extends OperatorCommand {

  @Parameters(
      arity = "1..*",
      paramLabel = "ID",
      converter = BatchIdText.class,
      description = "The chains' ids.")
  private List<Long> ids;

  ChainCancelCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    Chains chains = new JooqChains(queue());
    return each(
        ids,
        id ->
            chains.cancel(id)
                ? "chain %d cancelled".formatted(id)
                : "chain %d ends with the message that it has come to".formatted(id));
  }
}
