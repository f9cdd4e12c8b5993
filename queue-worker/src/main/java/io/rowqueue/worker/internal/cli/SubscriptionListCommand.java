package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.SubscriptionDetails;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Shows who gets copies of what. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions list --url URL [--json] [OPTIONS]",
    description = "Shows every source with the topics that get copies. Locks nothing.")
final class SubscriptionListCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  SubscriptionListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    List<SubscriptionDetails> found = new JooqSubscriptions(queue()).list();
    show(
        json.choose(
            () -> SubscriptionTexts.table(found), root -> SubscriptionTexts.fill(root, found)));
    return ExitCodes.OK;
  }
}
