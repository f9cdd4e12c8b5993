package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.Topic;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.Subscription;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.Subscriptions;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
    name = "subscriptions",
    description = "Shows, adds, removes or pauses subscriptions of topics to published messages.")
final class SubscriptionCommands extends CommandGroup {

  private static final String EACH_IS_TRIED =
      "Each is tried. An unknown subscription is reported, and the exit code is 1. A change waits"
          + " up to about 17 seconds for open transactions that have published under the source.";

  private static final List<Column<SubscriptionDetails>> COLUMNS =
      List.of(
          Column.left("SOURCE", "source", SubscriptionDetails::source),
          Column.left("TOPIC", "topic", SubscriptionDetails::topic),
          Column.inTable("STATE", each -> each.paused() ? "paused" : "on"),
          Column.inJson("paused", SubscriptionDetails::paused));

  SubscriptionCommands(CommandIo io) {
    super(io, "list", "test", "add", "remove", "pause", "resume");
  }

  @Command(description = "Shows every source and the topics subscribed to it. Locks nothing.")
  int list(@Mixin JsonOptions json) {
    List<SubscriptionDetails> found = new JooqSubscriptions(queue()).list();
    return show(
        json,
        () -> Column.table(found, COLUMNS, "No subscriptions."),
        root -> root.set("subscriptions", Column.nodes(found, COLUMNS)));
  }

  @Command(
      description = {
        "Prints the topics that would get a copy of a message published under the source now, one"
            + " per line, without paused ones. Publishes nothing and locks nothing.",
        "Exits 1 if there are none."
      })
  int test(
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "SOURCE", description = "Source of the message.") String source) {
    try {
      List<String> topics =
          new JooqSubscriptions(queue())
              .topics(new Topic(source).name()).stream().map(Topic::name).toList();
      show(
          json,
          () -> topics.isEmpty() ? "No topic would get a copy." : String.join("\n", topics),
          root -> topics.forEach(root.putArray("topics")::add));
      return topics.isEmpty() ? ExitCodes.FAILED : ExitCodes.OK;
    } catch (InvalidMessageException e) {
      throw CommandFailure.usage(String.valueOf(e.getMessage()));
    }
  }

  @Command(
      description =
          "Subscribes topics to a source: messages published under it from now on are copied to"
              + " them. An existing subscription stays unchanged, paused or not.")
  int add(@Mixin Named named) {
    return changeEach(
        named,
        "subscribed",
        (all, source, topic) -> {
          all.subscribe(source, topic);
          return true;
        });
  }

  @Command(
      description =
          "Ends subscriptions. Existing copies are kept and handled. A subscription that is"
              + " declared in a worker's code returns at the next worker start; pause it instead.")
  int remove(@Mixin Named named) {
    return changeEach(named, "removed", Subscriptions::unsubscribe);
  }

  @Command(
      description =
          "Pauses subscriptions: no copies are made until they are resumed, even if workers declare"
              + " them. Existing copies are kept and handled.")
  int pause(@Mixin Named named) {
    return changeEach(named, "paused", Subscriptions::pause);
  }

  @Command(description = "Resumes subscriptions: messages published from now on are copied again.")
  int resume(@Mixin Named named) {
    return changeEach(named, "resumed", Subscriptions::resume);
  }

  private int changeEach(Named named, String done, Change change) {
    List<Subscription> all =
        named.topics.stream().map(topic -> subscription(named.source, topic)).toList();
    Subscriptions subscriptions = new JooqSubscriptions(queue());
    return each(
        all,
        each -> {
          if (!change.apply(subscriptions, each.source().name(), each.topic().name())) {
            throw new Refusal(
                "there is no subscription %s; `queue-worker subscriptions list` shows all"
                    .formatted(each));
          }
          return "%s %s".formatted(each, done);
        });
  }

  private static Subscription subscription(String source, String topic) {
    return CommandFailure.usage(() -> Subscription.of(source, topic));
  }

  /** Changes one subscription; false if there is none. */
  private interface Change {
    boolean apply(Subscriptions subscriptions, String source, String topic);
  }

  @Command(parameterListHeading = EACH_IS_TRIED + "%n")
  static final class Named {

    @Parameters(
        index = "0",
        paramLabel = "SOURCE",
        description = "Name that messages are published under.")
    private String source = "";

    @Parameters(
        index = "1..*",
        arity = "1..*",
        paramLabel = "TOPIC",
        description = "Topics that get the copies.")
    private List<String> topics = List.of();
  }
}
