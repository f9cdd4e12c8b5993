package io.rowqueue.worker.internal.cli;

import io.rowqueue.BackPressure;
import io.rowqueue.Deduplication;
import io.rowqueue.InvalidMessageException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Results;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.worker.internal.cli.BulkEnqueue.Sending;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
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
          "File whose content is the payload of one message, unchanged and of any length."
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
                + " --dedup-while or --dedup-within.")
    private @Nullable String key;

    @Option(
        names = "--dedup-while",
        paramLabel = "waiting|alive",
        description =
            "Hold the key until a worker claims the message (waiting), or until it is gone"
                + " (alive).")
    private @Nullable String scope;

    @Option(
        names = "--dedup-within",
        paramLabel = "DURATION",
        description = "Hold the key for this time, whatever becomes of the message.")
    private @Nullable Duration window;

    @Option(
        names = "--dedup-answer",
        paramLabel = "first|refuse|replace",
        description =
            "While the key is held: print the id of the first message, fail, or replace the"
                + " payload, headers, priority and due time of the waiting message (default:"
                + " first).")
    private @Nullable String answer;

    /** The rule; null if no key is given. */
    @Nullable Deduplication rule() {
      if (key == null) {
        if (scope != null || window != null || answer != null) {
          throw CommandFailure.usage("say which key is meant; give --dedup-key");
        }
        return null;
      }
      if ((scope == null) == (window == null)) {
        throw CommandFailure.usage(
            "say for how long --dedup-key is held; give either --dedup-while or --dedup-within");
      }
      MessageOptions.checkLocale("--dedup-key", key);
      try {
        return answered(window == null ? scoped(key) : Deduplication.within(key, window));
      } catch (InvalidMessageException e) {
        throw CommandFailure.usage(String.valueOf(e.getMessage()));
      }
    }

    private Deduplication scoped(String wanted) {
      return switch (lower(scope)) {
        case "waiting" -> Deduplication.whileWaiting(wanted);
        case "alive" -> Deduplication.whileAlive(wanted);
        default -> throw CommandFailure.usage("--dedup-while takes waiting or alive");
      };
    }

    private Deduplication answered(Deduplication rule) {
      return switch (lower(answer)) {
        case "", "first" -> rule;
        case "refuse" -> rule.refusing();
        case "replace" -> rule.replacing();
        default -> throw CommandFailure.usage("--dedup-answer takes first, refuse or replace");
      };
    }

    private static String lower(@Nullable String text) {
      return text == null ? "" : text.strip().toLowerCase(Locale.ROOT);
    }
  }
}
