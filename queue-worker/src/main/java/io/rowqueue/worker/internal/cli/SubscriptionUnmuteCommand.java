package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import picocli.CommandLine.Command;

/** Lets muted topics have copies again. */
@Command(
    name = "unmute",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions unmute SOURCE TOPIC... --url URL [OPTIONS]",
    description = {
      "They get copies again, of what is published from now on.",
      SubscriptionChangeCommand.EACH_IS_TRIED
    })
final class SubscriptionUnmuteCommand extends SubscriptionChangeCommand {

  SubscriptionUnmuteCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Subscriptions subscriptions, Subscription subscription) {
    return subscriptions.resume(subscription.source().name(), subscription.topic().name());
  }

  @Override
  String done() {
    return "unmuted";
  }
}
