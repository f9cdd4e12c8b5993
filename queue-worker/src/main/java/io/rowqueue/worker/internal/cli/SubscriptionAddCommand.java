package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import picocli.CommandLine.Command;

/** Lets topics have copies. */
@Command(
    name = "add",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions add SOURCE TOPIC... --url URL [OPTIONS]",
    description = {
      "What is published under the source from now on is copied into these topics, too. One that is"
          + " there already stays as it is, muted or not.",
      SubscriptionChangeCommand.EACH_IS_TRIED
    })
final class SubscriptionAddCommand extends SubscriptionChangeCommand {

  SubscriptionAddCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Subscriptions subscriptions, Subscription subscription) {
    subscriptions.subscribe(subscription.source().name(), subscription.topic().name());
    return true;
  }

  @Override
  String done() {
    return "subscribed";
  }
}
