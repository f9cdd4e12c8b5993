package io.rowqueue.worker.internal.cli;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Says how long copies of acknowledged messages stay. */
@Command(
    name = "keep",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker topics keep TOPIC... --days N --url URL [--force] [OPTIONS]",
      "   or: queue-worker topics keep TOPIC... --none --url URL [--force] [OPTIONS]"
    },
    description = {
      "From now on a copy of each acknowledged message of these topics is archived and stays so"
          + " many days; with --none, no copies are made, and those that exist are deleted.",
      TopicChangeCommand.EACH_IS_TRIED
    })
final class TopicKeepCommand extends TopicChangeCommand {

  private static final int MOST_DAYS = 36_500;

  @LineOnly
  @Option(
      names = "--days",
      paramLabel = "N",
      description =
          "For how many days after the day of the acknowledgement, in UTC; 1 to 36500. Those that"
              + " exist keep to it, too.")
  private @Nullable Integer days;

  @LineOnly
  @Option(
      names = "--none",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Make no copies any more, and let those that exist be deleted.")
  private boolean none;

  TopicKeepCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    if ((days == null) == !none) {
      throw CommandFailure.usage("give either --days or --none");
    }
    if (days == null) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withKeepDays(null));
        return "topic %s keeps no copies".formatted(topic);
      };
    }
    int number = days;
    if (number < 1 || number > MOST_DAYS) {
      throw CommandFailure.usage(
          "--days must lie between 1 and %d, not %d".formatted(MOST_DAYS, number));
    }
    return (topics, topic) -> {
      topics.change(topic, set -> set.withKeepDays(number));
      return "topic %s keeps copies for %s".formatted(topic, TextTable.plural(number, "day"));
    };
  }
}
