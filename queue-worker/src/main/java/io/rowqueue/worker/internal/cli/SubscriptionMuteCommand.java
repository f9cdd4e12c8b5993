package io.rowqueue.worker.internal.cli;

import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import picocli.CommandLine.Command;

/** Stops copies for a time. */
@Command(
    name = "mute",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions mute SOURCE TOPIC... --url URL [OPTIONS]",
    description = {
      "They get no more copies until they are unmuted, whatever workers have in their code; copies"
          + " that they have stay and are handled.",
      SubscriptionChangeCommand.EACH_IS_TRIED
    })
final class SubscriptionMuteCommand extends SubscriptionChangeCommand {

  SubscriptionMuteCommand(CommandIo io) {
    super(io);
  }

  @Override
  boolean change(Subscriptions subscriptions, Subscription subscription) {
    return subscriptions.pause(subscription.source().name(), subscription.topic().name());
  }

  @Override
  String done() {
    return "muted";
  }
}
