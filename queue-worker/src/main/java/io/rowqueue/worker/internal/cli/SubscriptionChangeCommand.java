package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.Subscriptions;
import java.util.List;
import picocli.CommandLine.Parameters;

/** Changes who is subscribed to a source, one topic after the other. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
abstract class SubscriptionChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String EACH_IS_TRIED =
      "Each is tried; one that is not there is reported, and the exit code is 1. A change waits for"
          + " transactions that have published under the source and are open, up to about 17"
          + " seconds.";

  @Parameters(
      index = "0",
      paramLabel = "SOURCE",
      description = "What messages are published under.")
  private String source;

  @Parameters(
      index = "1..*",
      arity = "1..*",
      paramLabel = "TOPIC",
      description = "The topics of the copies.")
  private List<String> topics;

  SubscriptionChangeCommand(CommandIo io) {
    super(io);
  }

  /** Changes {@code subscription}; false if it is not there. */
  abstract boolean change(Subscriptions subscriptions, Subscription subscription);

  /** What has become of it, such as {@code muted}. */
  abstract String done();

  @Override
  public final Integer call() {
    List<Subscription> named = topics.stream().map(topic -> named(source, topic)).toList();
    Subscriptions subscriptions = new JooqSubscriptions(queue());
    return each(
        named,
        subscription -> {
          if (!change(subscriptions, subscription)) {
            throw new Refusal(
                "there is no subscription %s; `queue-worker subscriptions list` shows those that there are"
                    .formatted(subscription));
          }
          return "%s %s".formatted(subscription, done());
        });
  }

  private static Subscription named(String source, String topic) {
    try {
      return Subscription.of(source, topic);
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }
}
