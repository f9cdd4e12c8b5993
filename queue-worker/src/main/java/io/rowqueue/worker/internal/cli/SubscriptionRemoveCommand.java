package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import picocli.CommandLine.Command;

/** Ends subscriptions. */
@Command(
    name = "remove",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions remove SOURCE TOPIC... --url URL [OPTIONS]",
    description = {
      "They get no more copies; those that they have stay and are handled. What a worker has in its"
          + " code comes back with its next start; mute that instead.",
      SubscriptionChangeCommand.EACH_IS_TRIED
    })
final class SubscriptionRemoveCommand extends SubscriptionChangeCommand {

  SubscriptionRemoveCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Subscriptions subscriptions, Subscription subscription) {
    return subscriptions.unsubscribe(subscription.source().name(), subscription.topic().name());
  }

  @Override
  String done() {
    return "removed";
  }
}
