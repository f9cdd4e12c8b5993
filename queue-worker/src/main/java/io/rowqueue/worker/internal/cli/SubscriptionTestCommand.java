package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.Topic;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Says who would get copies. */
@Command(
    name = "test",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker subscriptions test SOURCE --url URL [--json] [OPTIONS]",
    description = {
      "Prints the topics that would get a copy of what was published under the source now, one on a"
          + " line; muted ones are left out. Publishes nothing, locks nothing.",
      "Exits 1 if there is none."
    })
@SuppressWarnings("NullAway.Init") // picocli sets the field
final class SubscriptionTestCommand extends OperatorCommand {

  @Mixin private final JsonOptions json = new JsonOptions();

  @Parameters(paramLabel = "SOURCE", description = "What a message would be published under.")
  private String source;

  SubscriptionTestCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    try {
      List<Topic> topics = new JooqSubscriptions(queue()).topics(new Topic(source).name());
      show(
          json.choose(
              () -> SubscriptionTexts.lines(topics),
              root -> SubscriptionTexts.fillTopics(root, topics)));
      return topics.isEmpty() ? ExitCodes.FAILED : ExitCodes.OK;
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }
}
