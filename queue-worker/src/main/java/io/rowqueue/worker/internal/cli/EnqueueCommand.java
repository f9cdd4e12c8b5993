package io.rowqueue.worker.internal.cli;

import io.rowqueue.BackPressure;
import io.rowqueue.Deduplication;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.worker.internal.cli.BulkEnqueue.Sending;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter.OnDuplicate;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(
    name = "enqueue",
    customSynopsis = {
      "queue-worker enqueue --topic TOPIC --payload JSON [OPTIONS]",
      "   or: queue-worker enqueue --topic TOPIC --payload-file FILE [OPTIONS]",
      "   or: queue-worker enqueue --topic TOPIC --file FILE|- [--atomic] [OPTIONS]"
    },
    description = {
      "Enqueues one message (--payload, --payload-file), or one for each line of a file (--file).",
      "A file is committed a thousand lines at a time. If that fails, the message says at which"
          + " line to continue. With --atomic, all lines are one transaction."
    })
final class EnqueueCommand extends QueueCommand implements Callable<Integer> {

  private static final Duration LONGEST_ANSWER = Duration.ofSeconds(60);

  private static final String IN_DOUBT =
      "whether the message was enqueued is not known; check before you enqueue it again";

  @Mixin private final MessageOptions message = new MessageOptions();
  @Mixin private final LimitOptions limits = new LimitOptions();
  @Mixin private final DeduplicationOptions deduplication = new DeduplicationOptions();

  @Option(
      names = {"--delay", "--in"},
      paramLabel = "DURATION",
      description = "Delay before the messages are available (default: 0s).")
  private @Nullable Duration delay;

  @Option(
      names = "--at",
      paramLabel = "INSTANT",
      description =
          "Instant from which the messages are available, with a time zone, such as"
              + " 2026-01-31T08:00:00Z; an instant in the past means now.")
  private @Nullable Instant at;

  @Option(
      names = "--ordering-key",
      paramLabel = "KEY",
      description = "Handle the topic's messages with this key one at a time and in order.")
  private @Nullable String orderingKey;

  @Option(names = "--payload", paramLabel = "JSON", description = "Payload of one message.")
  private @Nullable String payload;

  @Option(
      names = "--payload-file",
      paramLabel = "FILE",
      description =
          "File whose content is the payload of one message, unchanged and of up to 1 GiB."
              + " It is streamed and stored separately from the message's row.")
  private @Nullable Path payloadFile;

  @Option(
      names = "--file",
      paramLabel = "FILE",
      description =
          "File with one JSON payload per line, or - for standard input. Blank lines are"
              + " skipped.")
  private @Nullable String file;

  @Option(
      names = "--from-line",
      paramLabel = "N",
      description = "First line of the file to enqueue (default: 1).")
  private @Nullable Long fromLine;

  @Option(names = "--atomic", description = "Enqueue the whole file in one transaction.")
  private boolean atomic;

  @Option(names = "--refuse", description = "Fail if the topic is above its back-pressure limit.")
  private boolean refuse;

  @Option(
      names = "--publish",
      description =
          "Publish: enqueue a copy to each topic that is subscribed to --topic, and none to"
              + " --topic itself.")
  private boolean publish;

  @Option(
      names = "--await",
      paramLabel = "DURATION",
      description =
          "Wait up to this time for the message to be handled, and print the result of its"
              + " handler instead of its id; for topics that keep results.")
  private @Nullable Duration await;

  EnqueueCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() throws IOException {
    long given = Stream.of(payload, payloadFile, file).filter(Objects::nonNull).count();
    if (given != 1) {
      throw CommandFailure.usage("give either --payload, --payload-file or --file");
    }
    if (delay != null && at != null) {
      throw CommandFailure.usage("give either --delay or --at");
    }
    MessageOptions.Template template =
        message.template(new MessageOptions.Due(delay, at), orderingKey);
    if (file != null && deduplication.rule() != null) {
      throw CommandFailure.usage("--dedup-key is for one message; give --payload");
    }
    if (publish && deduplication.rule() != null) {
      throw CommandFailure.usage("--dedup-key is for one topic; omit --publish");
    }
    if (payloadFile != null && deduplication.onDuplicate == OnDuplicate.REPLACE) {
      throw CommandFailure.usage(
          "--on-duplicate replace is not for --payload-file; give --payload");
    }
    checkAwait();
    if (file == null) {
      one(wanted(template));
    } else {
      io().report(many(template));
    }
    return ExitCodes.OK;
  }

  private void checkAwait() {
    if (await != null && (file != null || publish)) {
      throw CommandFailure.usage(
          "--await is for one message of one topic; give --payload, and omit --publish");
    }
    if (await != null && await.isNegative()) {
      throw CommandFailure.usage("--await must not be negative");
    }
  }

  private NewMessage wanted(MessageOptions.Template template) {
    Path from = payloadFile;
    if (from == null) {
      return template.message(MessageOptions.json(Objects.requireNonNull(payload)));
    }
    if (!Files.isReadable(from) || Files.isDirectory(from)) {
      throw CommandFailure.usage(
          "the file %s cannot be read; check its path and its mode".formatted(from));
    }
    return template.streamed(() -> Files.newInputStream(from));
  }

  private void one(NewMessage wanted) {
    Deduplication rule = deduplication.rule();
    NewMessage offered = rule == null ? wanted : wanted.withDeduplication(rule);
    CommandDatabase database = reach(LONGEST_ANSWER);
    Duration longest = await;
    if (longest == null) {
      io().report(
              io().shutdown()
                  .step(IN_DOUBT, () -> sending(database).one(database.dataSource(), offered)));
    } else {
      io().report(database.awaited(results -> result(results, database, offered, longest)));
    }
  }

  private byte @Nullable [] result(
      Results results, CommandDatabase database, NewMessage offered, Duration longest)
      throws InterruptedException {
    AtomicReference<MessageId> id = new AtomicReference<>();
    String unused =
        io().shutdown()
            .step(
                IN_DOUBT,
                () -> {
                  id.set(results.enqueue(producer(database), offered));
                  return "message %1$s was enqueued to %2$s; `messages await %1$s` waits for it"
                      .formatted(id, offered.topic());
                });
    return results.await(Objects.requireNonNull(id.get()), byte[].class, longest);
  }

  private String many(MessageOptions.Template template) throws IOException {
    try (InputStream in = open()) {
      CommandDatabase database = reach(LONGEST_ANSWER);
      long from = fromLine == null ? 1 : fromLine;
      if (from < 1) {
        throw CommandFailure.usage("--from-line must be at least 1, not " + from);
      }
      JsonLines lines = new JsonLines(in, limits.limits().payloadBytes(), from);
      Sending sending = sending(database);
      try (BulkEnqueue.Target target = sending.target(database.dataSource(), atomic);
          Progress progress = Progress.of(io().err(), size())) {
        long count = new BulkEnqueue(template, lines, target, progress, io().shutdown()).run();
        return sending.done(count, template.topic());
      }
    }
  }

  private Sending sending(CommandDatabase database) {
    return new Sending(producer(database), publish);
  }

  private MessageProducer producer(CommandDatabase database) {
    MessageProducer producer = MessageProducer.create(PayloadCodec.json(), limits.limits());
    return refuse ? producer.rejectingWhenFull(BackPressure.over(database.dataSource())) : producer;
  }

  private InputStream open() {
    if ("-".equals(file)) {
      return io().in();
    }
    try {
      return Files.newInputStream(path());
    } catch (IOException e) {
      throw CommandFailure.usage(
          "the file %s cannot be read; check its path and its mode".formatted(file));
    }
  }

  /** The number of bytes to read; -1 if it is unknown. */
  private long size() throws IOException {
    return "-".equals(file) || !Files.isRegularFile(path()) ? -1 : Files.size(path());
  }

  private Path path() {
    return Path.of(Objects.requireNonNull(file));
  }

  /** Under which key a message is enqueued once. */
  static final class DeduplicationOptions {

    @Option(
        names = "--dedup-key",
        paramLabel = "KEY",
        description =
            "Deduplication key: enqueue nothing while another message of the topic holds it. Needs"
                + " --dedup-until.")
    private @Nullable String key;

    @Option(
        names = "--dedup-until",
        paramLabel = "claimed|done|DURATION",
        converter = Converters.KeyHeld.class,
        description =
            "Hold the key until a worker claims the message (claimed), until it is acknowledged,"
                + " cancelled or a dead letter (done), or for this time, whatever happens to the"
                + " message.")
    private @Nullable Function<String, Deduplication> held;

    @Option(
        names = "--on-duplicate",
        paramLabel = "ignore|fail|replace",
        converter = EnumConverter.DuplicateRules.class,
        completionCandidates = EnumConverter.DuplicateRules.class,
        description =
            "While the key is held: print the id of the first message (ignore), fail, or, with"
                + " --dedup-until claimed, replace the payload, headers, priority and due time of"
                + " the waiting message (default: ignore).")
    private @Nullable OnDuplicate onDuplicate;

    /** The rule; null if no key is given. */
    @Nullable Deduplication rule() {
      String wanted = key;
      Function<String, Deduplication> until = held;
      if (wanted == null) {
        if (until != null || onDuplicate != null) {
          throw CommandFailure.usage("--dedup-until and --on-duplicate need --dedup-key");
        }
        return null;
      }
      if (until == null) {
        throw CommandFailure.usage(
            "--dedup-key needs --dedup-until, with claimed, done or a duration such as 24h");
      }
      MessageOptions.checkLocale("--dedup-key", wanted);
      Deduplication rule = CommandFailure.usage(() -> until.apply(wanted));
      if (onDuplicate == OnDuplicate.REPLACE && rule.scope() != Deduplication.Scope.WAITING) {
        throw CommandFailure.usage("--on-duplicate replace needs --dedup-until claimed");
      }
      return switch (onDuplicate == null ? OnDuplicate.IGNORE : onDuplicate) {
        case IGNORE -> rule;
        case FAIL -> rule.refusing();
        case REPLACE -> rule.replacing();
      };
    }
  }
}
