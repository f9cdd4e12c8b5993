package io.rowqueue.worker.internal.cli;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.internal.subscribe.JooqSubscriptions;
import io.rowqueue.operate.DeadLetterPolicy;
import io.rowqueue.operate.OrderingKeyDetails;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.SubscriptionDetails;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.TopicSettings;
import io.rowqueue.operate.Topics;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import io.rowqueue.worker.internal.observe.QueueStatus;
import io.rowqueue.worker.internal.observe.StatusReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "topics", description = "Shows topics, pauses them, and changes their limits.")
final class TopicCommands extends CommandGroup {

  private static final String EACH_IS_TRIED =
      "Each topic is tried. An unknown topic is probably misspelled: it is refused unless --force"
          + " is given, and the exit code is 1.";
  private static final int MOST_DAYS = 36_500;
  private static final int MOST_LINES = 100_000;
  private static final Duration LONGEST_AGE = Duration.ofDays(3_653);

  TopicCommands(CommandIo io) {
    super(io, "list", "show", "pause", "resume", "retention", "limit", "ordering", "ordering-keys");
  }

  @Command(
      description =
          "Shows every topic that has a setting, a message, a dead letter or a worker, with its"
              + " settings and its counts. Locks nothing.")
  int list(@Mixin JsonOptions json) {
    Transactions queue = queue();
    QueueStatus status = new StatusReader(queue).read();
    List<TopicTexts.Line> lines = TopicTexts.lines(status, new JooqTopics(queue).list());
    return show(
        json, () -> TopicTexts.table(lines), root -> TopicTexts.fill(root, status.at(), lines));
  }

  @Command(
      description =
          "Shows a topic: its counts, up to 100,000 each, its limits, throughput and times of the"
              + " last five minutes, the workers that claim it, its schedules, the topics that are"
              + " copied to it, and its subscribers. Locks nothing. Exits 1 if the topic has no"
              + " message, dead letter, setting or live worker.")
  int show(
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "TOPIC", description = "Name of the topic.") Topic topic) {
    Transactions queue = queue();
    Topics topics = new JooqTopics(queue);
    Set<String> known = topics.known();
    if (!known.contains(topic.name())) {
      throw CommandFailure.failed(
          "topic '%s' has no message, dead letter, setting or live worker; %s"
              .formatted(topic.name(), nearest(topic, known)),
          null);
    }
    TopicTexts.Whole found = whole(queue, topics, topic.name());
    return show(json, () -> TopicTexts.one(found), root -> TopicTexts.fill(root, found));
  }

  private static TopicTexts.Whole whole(Transactions queue, Topics topics, String name) {
    QueueStatus status = new StatusReader(queue).read(name, QueueCounts.MOST);
    List<SubscriptionDetails> subscriptions = new JooqSubscriptions(queue).list();
    return new TopicTexts.Whole(
        TopCommand.lines(queue, status).get(0),
        topics.list().stream()
            .filter(each -> each.topic().equals(name))
            .findFirst()
            .orElse(TopicInfo.none(name)),
        status.workers().stream()
            .filter(worker -> worker.isClaiming() && worker.status().topics().contains(name))
            .map(worker -> worker.status().lockId())
            .toList(),
        new JooqSchedules(queue)
            .list(0).stream()
                .filter(each -> each.message().topic().equals(name))
                .map(ScheduleDetails::name)
                .toList(),
        subscriptions.stream()
            .filter(each -> each.topic().equals(name))
            .map(SubscriptionDetails::source)
            .toList(),
        subscriptions.stream()
            .filter(each -> each.source().equals(name))
            .map(SubscriptionDetails::topic)
            .toList());
  }

  @Command(
      description =
          "Stops all workers from claiming these topics, within about two seconds, until they are"
              + " resumed. Running handlers finish, and enqueueing continues. A pause outlives"
              + " every worker; with --force it can be set before the topic has a message.")
  int pause(@Mixin Named topics) {
    return changeEach(topics, Topics::pause, "topic %s paused");
  }

  @Command(description = "Lets workers claim these topics again, within about two seconds.")
  int resume(@Mixin Named topics) {
    return changeEach(topics, Topics::resume, "topic %s resumed");
  }

  @Command(
      name = "retention",
      customSynopsis = {
        "queue-worker topics retention TOPIC... --days N [--force] [OPTIONS]",
        "   or: queue-worker topics retention TOPIC... --none [--force] [OPTIONS]"
      },
      description =
          "Archives a copy of each message of these topics that is acknowledged from now on, and"
              + " keeps it for so many days. With --none, no copies are made, and existing ones are"
              + " deleted.")
  int retention(
      @Mixin Named topics,
      @Option(
              names = "--days",
              paramLabel = "N",
              description =
                  "Retention in days after the day of the acknowledgement, in UTC; 1 to 36500."
                      + " Applies to existing copies, too.")
          @Nullable Integer days,
      @Option(names = "--none", description = "Make no more copies, and delete existing ones.")
          boolean none) {
    if ((days == null) == !none) {
      throw CommandFailure.usage("give either --days or --none");
    }
    CommandFailure.checkRange("--days", days == null ? 1 : days, 1, MOST_DAYS);
    return days == null
        ? changeEach(topics, set -> set.withRetentionDays(null), "topic %s keeps no copies")
        : changeEach(
            topics,
            set -> set.withRetentionDays(days),
            "topic %s keeps copies for " + TextTable.plural(days, "day"));
  }

  @Command(
      description =
          "Limits these topics over all workers together, within about two seconds, or sets their"
              + " back-pressure limit. Limits that are not given stay unchanged; none removes one."
              + " A worker's own threads and rates apply as well, and the lowest limit counts.")
  int limit(@Mixin Named topics, @Mixin Limits limits) {
    List<Limit> changes = limits.changes();
    return changeEach(
        topics,
        set -> {
          for (Limit change : changes) {
            set = change.to.apply(set);
          }
          return set;
        },
        changes.stream().map(Limit::text).collect(Collectors.joining(", ", "topic %s: ", "")));
  }

  @Command(
      name = "ordering",
      description =
          "Sets what a dead letter does to the later messages of its ordering key: it blocks them"
              + " until it is redriven or deleted (block, the default), or they continue without it"
              + " (skip). Applies to messages that are blocked already, too.")
  int ordering(
      @Mixin Named topics,
      @Option(
              names = "--on-dead-letter",
              paramLabel = "block|skip",
              converter = EnumConverter.DeadLetterRules.class,
              completionCandidates = EnumConverter.DeadLetterRules.class,
              description =
                  "Block the ordering key, or continue without the dead letter. Required.")
          @Nullable DeadLetterPolicy then) {
    if (then == null) {
      throw CommandFailure.usage("give --on-dead-letter, with block or skip");
    }
    return changeEach(
        topics,
        (all, topic) -> all.onDeadLetter(topic, then),
        then == DeadLetterPolicy.BLOCK
            ? "dead letters of topic %s block their ordering keys"
            : "ordering keys of topic %s skip their dead letters");
  }

  @Command(
      name = "ordering-keys",
      description =
          "Shows the ordering keys of a topic that have messages: the first message of each key,"
              + " its state, and how many are blocked behind it. Locks nothing.")
  int orderingKeys(
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "TOPIC", description = "Name of the topic.") Topic topic,
      @Option(names = "--blocked", description = "Show only keys blocked by a dead letter.")
          boolean blocked,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description =
                  "Maximum number of keys shown, sorted by key; 1 to 100000 (default: 100).")
          int limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_LINES);
    List<OrderingKeyDetails> lines = new JooqTopics(queue()).orderingKeys(topic, blocked, limit);
    return show(json, () -> TopicTexts.lineTable(lines), root -> TopicTexts.fill(root, lines));
  }

  private int changeEach(Named named, UnaryOperator<TopicSettings> change, String done) {
    return changeEach(named, (all, topic) -> all.change(topic, change), done);
  }

  private int changeEach(Named named, BiConsumer<Topics, Topic> change, String done) {
    Topics topics = new JooqTopics(queue());
    Set<String> known = named.force ? Set.of() : topics.known();
    return each(
        named.topics,
        topic -> {
          if (!named.force) {
            refuseUnknown(topic, known);
          }
          change.accept(topics, topic);
          return done.formatted(topic);
        });
  }

  /** For a misspelled topic the change would be stored and have no effect. */
  static void refuseUnknown(Topic topic, Set<String> known) {
    if (!known.contains(topic.name())) {
      throw new Refusal(
          "topic '%s' was not changed: it has no message, dead letter, setting or live worker; %s; --force changes it anyway"
              .formatted(topic.name(), nearest(topic, known)));
    }
  }

  private static String nearest(Topic topic, Set<String> known) {
    return known.isEmpty()
        ? "no topic has any"
        : "nearest: " + TextTable.printable(TopicNames.join(NearestNames.of(topic.name(), known)));
  }

  @Command(parameterListHeading = EACH_IS_TRIED + "%n")
  static final class Named {

    @Parameters(arity = "1..*", paramLabel = "TOPIC", description = "Names of the topics.")
    private List<Topic> topics = List.of();

    @Option(
        names = "--force",
        description = "Include topics without a message, dead letter, setting or live worker.")
    private boolean force;
  }

  static final class Limits {

    @Option(
        names = "--in-flight",
        paramLabel = "N",
        description =
            "Maximum number of handlers running at once; 1 to 1000, or none. A batch counts as one."
                + " Running handlers finish.")
    private @Nullable OptionalLong inFlight;

    @Option(
        names = "--rate-limit",
        paramLabel = "N/s",
        converter = Converters.PerSecond.class,
        description =
            "Maximum number of messages started per second, retries included; 1/s to 1000000/s, or"
                + " none.")
    private @Nullable OptionalLong rateLimit;

    @Option(
        names = "--key-in-flight",
        paramLabel = "N",
        description =
            "Maximum number of messages with the same ordering key handled at once; 1 to 1000, or"
                + " none for strictly one after the other. With more, a retry or a dead letter no"
                + " longer blocks its key.")
    private @Nullable OptionalLong keyInFlight;

    @Option(
        names = "--key-rate-limit",
        paramLabel = "N/s",
        converter = Converters.PerSecond.class,
        description =
            "Maximum number of messages with the same ordering key released per second; 1/s to"
                + " 1000000/s, or none.")
    private @Nullable OptionalLong keyRateLimit;

    @Option(
        names = "--weight",
        paramLabel = "N",
        description =
            "Relative share of each worker's threads while several topics have messages, instead"
                + " of its --topic-weight; 1 to 1000, or none.")
    private @Nullable OptionalLong weight;

    @Option(
        names = "--max-depth",
        paramLabel = "N",
        description =
            "Back-pressure limit: maximum number of waiting messages, or none. With --max-age, both"
                + " must be exceeded. Affects only producers that check it.")
    private @Nullable OptionalLong maxDepth;

    @Option(
        names = "--max-age",
        paramLabel = "DURATION",
        converter = Converters.Age.class,
        description =
            "Back-pressure limit: maximum age of the oldest waiting message, such as 5m, or none."
                + " With --max-depth, both must be exceeded.")
    private @Nullable OptionalLong maxAge;

    /** The limits to set; refuses a value out of range before any topic is changed. */
    List<Limit> changes() {
      List<Limit> changes =
          Stream.of(
                  new Given("--in-flight", inFlight, 1_000)
                      .limit(
                          (set, most) -> set.withMaxInFlight(whole(most)),
                          "any number at once",
                          "at most %d at once"),
                  new Given("--rate-limit", rateLimit, 1_000_000)
                      .limit(
                          (set, most) -> set.withMaxPerSecond(whole(most)),
                          "any number a second",
                          "at most %d a second"),
                  new Given("--key-in-flight", keyInFlight, 1_000)
                      .limit(
                          (set, most) -> set.withKeyInFlight(whole(most)),
                          "one of a key after the other",
                          "at most %d of a key at once"),
                  new Given("--key-rate-limit", keyRateLimit, 1_000_000)
                      .limit(
                          (set, most) -> set.withKeyPerSecond(whole(most)),
                          "any number of a key a second",
                          "at most %d of a key a second"),
                  new Given("--weight", weight, 1_000)
                      .limit(
                          (set, share) -> set.withWeight(whole(share)),
                          "the weight of each worker",
                          "weight %d"),
                  new Given("--max-depth", maxDepth, 1_000_000_000_000L)
                      .limit(TopicSettings::withMaxDepth, "any depth", "full above %d"),
                  age())
              .flatMap(Optional::stream)
              .toList();
      if (changes.isEmpty()) {
        throw CommandFailure.usage("give at least one limit");
      }
      return changes;
    }

    private static @Nullable Integer whole(@Nullable Long limit) {
      return limit == null ? null : Math.toIntExact(limit);
    }

    private Optional<Limit> age() {
      Duration age = Duration.ofSeconds(maxAge == null ? 1 : maxAge.orElse(1));
      if (age.toSeconds() < 1 || age.compareTo(LONGEST_AGE) > 0) {
        throw CommandFailure.usage("--max-age must lie between 1s and 3653d, or be none");
      }
      return new Given("--max-age", maxAge, Long.MAX_VALUE)
          .limit(
              (set, most) -> set.withMaxAge(most == null ? null : age),
              "any age",
              "full beyond an age of " + DurationText.of(age));
    }
  }

  private record Limit(UnaryOperator<TopicSettings> to, String text) {}

  /** The value of an option: null if it was not given, empty to remove the limit. */
  private record Given(String option, @Nullable OptionalLong limit, long most) {

    Optional<Limit> limit(
        BiFunction<TopicSettings, @Nullable Long, TopicSettings> setter,
        String removed,
        String set) {
      if (limit == null) {
        return Optional.empty();
      }
      if (limit.isEmpty()) {
        return Optional.of(new Limit(settings -> setter.apply(settings, null), removed));
      }
      long value = limit.getAsLong();
      if (value < 1 || value > most) {
        throw CommandFailure.usage(
            "%s must lie between 1 and %d, or be none; not %d".formatted(option, most, value));
      }
      return Optional.of(
          new Limit(settings -> setter.apply(settings, value), set.formatted(value)));
    }
  }
}
