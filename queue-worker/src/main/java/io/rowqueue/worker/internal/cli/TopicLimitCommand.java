package io.rowqueue.worker.internal.cli;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Limits topics in the whole cluster. */
@Command(
    name = "limit",
    versionProvider = VersionText.class,
    customSynopsis = {
      "queue-worker topics limit TOPIC... [--in-flight N|none] [--per-second N|none]",
      "        [--key-in-flight N|none] [--key-per-second N|none]",
      "        [--max-depth N|none] [--max-age TIME|none] --url URL [--force] [OPTIONS]"
    },
    description = {
      "Limits these topics over all workers together, from about two seconds later on, or says when"
          + " they are overfull. What is not given stays as it is; none takes a limit away. A"
          + " worker's own threads and rates hold besides, and the least of all counts.",
      TopicChangeCommand.EACH_IS_TRIED
    })
final class TopicLimitCommand extends TopicChangeCommand {

  private static final int MOST_IN_FLIGHT = 1_000;
  private static final int MOST_PER_SECOND = 1_000_000;
  private static final long MOST_DEPTH = 1_000_000_000_000L;
  private static final Duration LONGEST_AGE = Duration.ofDays(3_653);

  @LineOnly
  @Option(
      names = "--in-flight",
      paramLabel = "N",
      converter = LimitText.class,
      description =
          "At most so many handlings of the topic run at once; 1 to 1000, or none. A batch is one"
              + " handling. What runs already is let finish.")
  private @Nullable OptionalLong inFlight;

  @LineOnly
  @Option(
      names = "--per-second",
      paramLabel = "N",
      converter = LimitText.class,
      description =
          "At most so many messages of the topic are begun a second; 1 to 1000000, or none. A retry"
              + " is begun, too.")
  private @Nullable OptionalLong perSecond;

  @LineOnly
  @Option(
      names = "--key-in-flight",
      paramLabel = "N",
      converter = LimitText.class,
      description =
          "At most so many messages with the same ordering key are handled at once; 1 to 1000, or"
              + " none, which is one after the other. With more, a message that waits for another"
              + " attempt or is a dead letter holds its key no longer.")
  private @Nullable OptionalLong keyInFlight;

  @LineOnly
  @Option(
      names = "--key-per-second",
      paramLabel = "N",
      converter = LimitText.class,
      description =
          "At most so many messages with the same ordering key are let go a second; 1 to 1000000,"
              + " or none.")
  private @Nullable OptionalLong keyPerSecond;

  @LineOnly
  @Option(
      names = "--max-depth",
      paramLabel = "N",
      converter = LimitText.class,
      description =
          "The topic is overfull while more of its messages wait, or none; with --max-age both must"
              + " hold. Producers that ask are told, and nobody else.")
  private @Nullable OptionalLong maxDepth;

  @LineOnly
  @Option(
      names = "--max-age",
      paramLabel = "TIME",
      converter = AgeText.class,
      description =
          "The topic is overfull while its oldest message has waited for longer, such as 5m, or"
              + " none; with --max-depth both must hold.")
  private @Nullable OptionalLong maxAge;

  TopicLimitCommand(CommandIo io) {
    super(io);
  }

  @Override
  Change change() {
    List<Change> changes = new ArrayList<>();
    if (inFlight != null) {
      changes.add(ofInFlight(inFlight));
    }
    if (perSecond != null) {
      changes.add(ofPerSecond(perSecond));
    }
    if (keyInFlight != null) {
      changes.add(ofKeyInFlight(keyInFlight));
    }
    if (keyPerSecond != null) {
      changes.add(ofKeyPerSecond(keyPerSecond));
    }
    if (maxDepth != null) {
      changes.add(ofDepth(maxDepth));
    }
    if (maxAge != null) {
      changes.add(ofAge(maxAge));
    }
    if (changes.isEmpty()) {
      throw CommandFailure.usage("give at least one limit");
    }
    return (topics, topic) ->
        changes.stream()
            .map(change -> change.apply(topics, topic))
            .collect(Collectors.joining(", ", "topic %s: ".formatted(topic), ""));
  }

  private static Change ofInFlight(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withMaxInFlight(null));
        return "any number at once";
      };
    }
    int most = (int) within("--in-flight", limit, MOST_IN_FLIGHT);
    return (topics, topic) -> {
      topics.change(topic, set -> set.withMaxInFlight(most));
      return "at most %d at once".formatted(most);
    };
  }

  private static Change ofPerSecond(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withMaxPerSecond(null));
        return "any number a second";
      };
    }
    int most = (int) within("--per-second", limit, MOST_PER_SECOND);
    return (topics, topic) -> {
      topics.change(topic, set -> set.withMaxPerSecond(most));
      return "at most %d a second".formatted(most);
    };
  }

  private static Change ofKeyInFlight(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withKeyInFlight(null));
        return "one of a key after the other";
      };
    }
    int most = (int) within("--key-in-flight", limit, MOST_IN_FLIGHT);
    return (topics, topic) -> {
      topics.change(topic, set -> set.withKeyInFlight(most));
      return "at most %d of a key at once".formatted(most);
    };
  }

  private static Change ofKeyPerSecond(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withKeyPerSecond(null));
        return "any number of a key a second";
      };
    }
    int most = (int) within("--key-per-second", limit, MOST_PER_SECOND);
    return (topics, topic) -> {
      topics.change(topic, set -> set.withKeyPerSecond(most));
      return "at most %d of a key a second".formatted(most);
    };
  }

  private static Change ofDepth(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withMaxDepth(null));
        return "any depth";
      };
    }
    long most = within("--max-depth", limit, MOST_DEPTH);
    return (topics, topic) -> {
      topics.change(topic, set -> set.withMaxDepth(most));
      return "overfull above %d".formatted(most);
    };
  }

  private static Change ofAge(OptionalLong limit) {
    if (limit.isEmpty()) {
      return (topics, topic) -> {
        topics.change(topic, set -> set.withMaxAge(null));
        return "any age";
      };
    }
    Duration longest = Duration.ofSeconds(limit.getAsLong());
    if (longest.toSeconds() < 1 || longest.compareTo(LONGEST_AGE) > 0) {
      throw CommandFailure.usage("--max-age must lie between 1s and 3653d, or be none");
    }
    return (topics, topic) -> {
      topics.change(topic, set -> set.withMaxAge(longest));
      return "overfull beyond an age of " + DurationText.of(longest);
    };
  }

  private static long within(String option, OptionalLong limit, long most) {
    long value = limit.getAsLong();
    if (value < 1 || value > most) {
      throw CommandFailure.usage(
          "%s must lie between 1 and %d, or be none; not %d".formatted(option, most, value));
    }
    return value;
  }
}
