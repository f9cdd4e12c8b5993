package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.MessageState;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqFinding;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.CancelOutcome;
import io.rowqueue.operate.MessageDetails;
import io.rowqueue.operate.MessageDetails.StoredBody;
import io.rowqueue.operate.MessageLocation;
import io.rowqueue.operate.Messages;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.Converters.DurationText;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Converters.Moment;
import io.rowqueue.worker.internal.cli.MessageTexts.BodyText;
import io.rowqueue.worker.internal.cli.MessageTexts.ExternalBodyLength;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Filter;
import io.rowqueue.worker.internal.dashboard.JooqMessageSearch.Scope;
import io.rowqueue.worker.internal.lease.WorkerLease.HostName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "messages",
    description =
        "Finds messages; shows, awaits, cancels, reschedules or reprioritizes them by their ids.")
final class MessageCommands extends CommandGroup {

  private static final String EACH_IS_TRIED =
      "Each is tried. A message that is in flight, dead-lettered or unknown is refused and left"
          + " unchanged, and the exit code is 1.";

  private static final int MOST_SHOWN = 10_000;

  MessageCommands(CommandIo io) {
    super(io, "list", "show", "await", "cancel", "reschedule", "prioritize");
  }

  @Command(
      description = {
        "Shows messages of the queue that match all filters, without payloads and headers: with"
            + " --topic by state and in claim order, else with --state by due time, else the newest"
            + " first. Dead letters: `dead-letters list`. Locks nothing.",
        "Topic and state are found by an index. For the other filters, messages are examined in"
            + " that order for 10 seconds; if there are more, a last line says so."
      })
  int list(
      @Mixin ListOptions filters,
      @Mixin JsonOptions json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "Maximum number shown, 1 to 10000 (default: 100).")
          long limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_SHOWN);
    Map<String, String> headers = MessageOptions.pairs(filters.headers);
    Transactions queue = queue();
    Filter filter = filters.filter(headers, CommandDatabase.now(queue));
    List<JooqMessageSearch.Row> found = new ArrayList<>();
    boolean all = true;
    long start = System.nanoTime();
    for (Scope scope : filters.scopes()) {
      JooqMessageSearch search = new JooqMessageSearch(queue, scope, filter, null);
      Duration left = MessageTexts.PATIENCE.minusNanos(System.nanoTime() - start);
      found.addAll(search.find((int) limit - found.size(), left));
      all &= search.isAtEnd();
    }
    boolean examined = all || found.size() == limit;
    return show(
        json,
        () -> MessageTexts.table(found, examined),
        root -> MessageTexts.fill(root, found, examined));
  }

  @Command(
      description = {
        "Shows where a message is (available, scheduled, in flight, a dead letter or archived) and"
            + " what is known of it. Until it is dead-lettered, the errors of its failed attempts"
            + " are included; `dead-letters show` has those of a dead letter. Exits 1 if no table"
            + " has it.",
        "Payload and headers may hold secrets. They are shown only with --with-payload, and only"
            + " their first 4,096 characters. --out writes the whole payload to a file. Payloads"
            + " that are stored separately are neither shown nor written."
      })
  int show(
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "ID", description = "Id of the message.") MessageId id,
      @Option(names = "--with-payload", description = "Show headers and payload.") boolean body,
      @Option(
              names = "--out",
              paramLabel = "FILE",
              description = "Write the payload to this new file, readable only by its owner.")
          @Nullable Path out) {
    if (out != null && Files.exists(out)) {
      throw CommandFailure.usage(
          "the file %s exists already; name a new one for --out".formatted(out));
    }
    Messages messages = new JooqMessages(queue());
    MessageDetails found = messages.find(id);
    if (found.place() == MessageLocation.UNKNOWN && !json.requested()) {
      throw CommandFailure.failed(
          ("no table has message %s; it was acknowledged without a copy, cancelled or deleted, or"
                  + " never existed (if its topic keeps results, `messages await %s` prints it)")
              .formatted(id, id),
          null);
    }
    if (out != null && found.row() != null) {
      write(id, found.row().body(), out);
    }
    ExternalBodyLength external = ExternalBodyLength.of(found, messages::externalBodyBytes);
    show(
        json,
        () -> MessageTexts.of(found, external, body),
        root -> MessageTexts.fill(root, found, external, body));
    return found.place() == MessageLocation.UNKNOWN ? ExitCodes.FAILED : ExitCodes.OK;
  }

  private static void write(MessageId id, StoredBody body, Path file) {
    String elsewhere = BodyText.place(body);
    if (elsewhere != null) {
      // An empty file would be taken for an empty payload.
      throw CommandFailure.failed(
          "the payload of message %s is %s, and --out writes only payloads of the message's row; the file %s was not created"
              .formatted(id, elsewhere, file),
          null);
    }
    try {
      create(file);
      fill(file, body.payload());
    } catch (IOException e) {
      throw CommandFailure.failed("the file %s cannot be written: %s".formatted(file, e), e);
    }
  }

  /** A partial file is deleted: it would make the next attempt fail. */
  private static void fill(Path file, byte[] bytes) throws IOException {
    try {
      Files.write(file, bytes, StandardOpenOption.WRITE);
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }

  /** Readable only by its owner, from the first byte on. */
  private static void create(Path file) throws IOException {
    if (file.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.createFile(
          file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    } else {
      Files.createFile(file);
    }
  }

  @Command(
      description = {
        "Waits until a message is handled, and prints the result of its handler as it is stored"
            + " (usually JSON), or null. Prints an existing result at once. Works only for topics"
            + " that keep results.",
        "Exits 1 after --timeout, if the message is or becomes a dead letter, or if it is gone"
            + " without a result. The account needs `grants result-reader`."
      })
  int await(
      @Parameters(paramLabel = "ID", description = "Id of the message.") MessageId id,
      @Option(
              names = "--timeout",
              paramLabel = "DURATION",
              defaultValue = "30s",
              description = "Maximum time to wait (default: 30s).")
          Duration timeout) {
    if (timeout.isNegative()) {
      throw CommandFailure.usage("--timeout must not be negative");
    }
    show(reach().awaited(results -> results.await(id, byte[].class, timeout)));
    return ExitCodes.OK;
  }

  @Command(
      description =
          "Removes messages from the queue permanently, with their failed attempts. With --running,"
              + " requests cancellation of in-flight messages: if the handler stops or fails, the"
              + " message is removed and its work rolled back; if it succeeds, the message is"
              + " acknowledged. `messages show` shows the cancellation request.")
  int cancel(
      @Mixin Ids ids,
      @Option(
              names = "--running",
              description = "Request cancellation of in-flight messages instead of refusing them.")
          boolean running) {
    return changeEach(
        ids,
        (messages, id) -> {
          if (running && messages.requestCancel(id, user()) != CancelOutcome.CANCELLED) {
            return "message %s is in flight; its cancellation is requested".formatted(id);
          }
          if (!running) {
            messages.cancel(id);
          }
          return "message %s cancelled".formatted(id);
        });
  }

  /** As the operating system knows them; for people who read it later, and no more. */
  private static String user() {
    String user = System.getProperty("user.name", "unknown") + "@" + HostName.find();
    return user.substring(0, Math.min(user.length(), 255));
  }

  @Command(
      customSynopsis = {
        "queue-worker messages reschedule ID... --delay DURATION [OPTIONS]",
        "   or: queue-worker messages reschedule ID... --at INSTANT [OPTIONS]"
      },
      description =
          "Changes when messages are due. A delay of 0s, or an instant in the past, makes them"
              + " available.")
  int reschedule(
      @Mixin Ids ids,
      @Option(
              names = "--delay",
              paramLabel = "DURATION",
              description = "Delay from now, by the database's clock.")
          @Nullable Duration delay,
      @Option(
              names = "--at",
              paramLabel = "INSTANT",
              description = "Instant with a time zone, such as 2026-01-31T08:00:00Z.")
          @Nullable Instant at) {
    if ((delay == null) == (at == null)) {
      throw CommandFailure.usage("give either --delay or --at");
    }
    if (delay != null && delay.isNegative()) {
      throw CommandFailure.usage("--delay must not be negative");
    }
    return changeEach(
        ids,
        (messages, id) -> {
          if (delay == null) {
            messages.reschedule(id, at);
            return "message %s is due at %s".formatted(id, at);
          }
          messages.reschedule(id, delay);
          return delay.isZero()
              ? "message %s is available".formatted(id)
              : "message %s is due in %s".formatted(id, DurationText.of(delay));
        });
  }

  @Command(description = "Changes the priority of messages.")
  int prioritize(
      @Mixin Ids ids,
      @Option(
              names = "--priority",
              paramLabel = "N",
              description = "-128 to 127; lower is sooner. Required.")
          @Nullable Integer priority) {
    if (priority == null) {
      throw CommandFailure.usage("no priority is named; give --priority, as in --priority -5");
    }
    CommandFailure.checkRange("--priority", priority, Byte.MIN_VALUE, Byte.MAX_VALUE);
    return changeEach(
        ids,
        (messages, id) -> {
          messages.prioritize(id, priority);
          return "message %s has priority %d".formatted(id, priority);
        });
  }

  private int changeEach(Ids given, BiFunction<Messages, MessageId, String> change) {
    Messages messages = new JooqMessages(queue());
    return each(given.ids, id -> change.apply(messages, id));
  }

  static final class ListOptions {

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        description = "Only messages of this topic (default: any).")
    private @Nullable Topic topic;

    @Option(
        names = "--state",
        paramLabel = "STATE",
        converter = EnumConverter.States.class,
        completionCandidates = EnumConverter.States.class,
        description = "Only messages in this state: ${COMPLETION-CANDIDATES} (default: any).")
    private EnumConverter.@Nullable State state;

    @Option(
        names = "--ordering-key",
        paramLabel = "KEY",
        description = "Only messages with this ordering key (default: any).")
    private @Nullable String orderingKey;

    @Option(
        names = "--header",
        paramLabel = "NAME=VALUE",
        description =
            "Only messages with this header (default: any). Can be given more than once: each has"
                + " all of them.")
    private @Nullable List<String> headers;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description =
            "Only messages enqueued at this time or later: 2h or 3d ago, or"
                + " 2026-01-31T08:00:00Z (default: any).")
    private @Nullable Moment since;

    @Option(
        names = "--until",
        paramLabel = "TIME",
        description =
            "Only messages enqueued before this time, written as for --since (default: any).")
    private @Nullable Moment until;

    @Option(
        names = "--payload-contains",
        paramLabel = "TEXT",
        description =
            "Only messages whose payload contains this text, in the same case: not compressed,"
                + " encrypted or separately stored payloads (default: any).")
    private String payload = "";

    @Option(
        names = "--error-contains",
        paramLabel = "TEXT",
        description =
            "Only messages whose last failed attempt has this text in its error (default: any).")
    private String error = "";

    @Option(
        names = "--min-attempts",
        paramLabel = "N",
        description = "Only messages with at least this many failed attempts (default: any).")
    private int minAttempts;

    /** What is searched one after the other. */
    List<Scope> scopes() {
      if (topic == null && state == null) {
        return List.of(Scope.ALL);
      }
      String name = topic == null ? null : topic.name();
      return MessageState.ALL.stream()
          .filter(each -> state == null || JooqFinding.place(each).name().equals(state.name()))
          .map(each -> new Scope(name, each))
          .toList();
    }

    Filter filter(Map<String, String> wanted, Instant now) {
      if (orderingKey != null) {
        MessageOptions.checkLocale("--ordering-key", orderingKey);
      }
      MessageOptions.checkLocale("--payload-contains", payload);
      MessageOptions.checkLocale("--error-contains", error);
      Moment.checkOrder(since, until, now);
      CommandFailure.checkRange("--min-attempts", minAttempts, 0, Integer.MAX_VALUE);
      return new Filter(
          orderingKey,
          wanted,
          Moment.at(since, now),
          Moment.at(until, now),
          payload,
          error,
          minAttempts,
          null);
    }
  }

  @Command(parameterListHeading = EACH_IS_TRIED + "%n")
  static final class Ids {

    @Parameters(arity = "1..*", paramLabel = "ID", description = "Ids of the messages.")
    private List<MessageId> ids = List.of();
  }
}
