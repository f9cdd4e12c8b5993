package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.DeadLetterGroups;
import io.rowqueue.internal.deadletter.DeadLetterGroups.Groups;
import io.rowqueue.internal.deadletter.DeadLetterSearch;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.internal.operate.JooqMessages;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.FailedAttempt;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.internal.cli.BulkChange.Pace;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.Converters.Moment;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntBiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "dead-letters",
    description = "Shows, groups, exports, redrives or deletes dead letters.")
final class DeadLetterCommands extends CommandGroup {

  private static final String WITH_ALL_OR_IDS =
      "With --all, 200 are changed per transaction. If that fails, the message says how many are"
          + " done, and the same command continues. With ids, each is tried, and the exit code is 1"
          + " if one is no dead letter.";
  private static final int MOST_SHOWN = 10_000;
  private static final int PAGE = 500;
  private static final Change REDRIVE = new Change("redrive", "redriven", DeadLetters::redriveAll);
  private static final Change DELETE = new Change("delete", "deleted", DeadLetters::discardAll);

  DeadLetterCommands(CommandIo io) {
    super(io, "list", "groups", "show", "export", "redrive", "delete");
  }

  @Command(
      description =
          "Shows the dead letters that match the filters, oldest message first, without their"
              + " payloads. Changes nothing.")
  int list(
      @Mixin FilterOptions filters,
      @Mixin JsonOptions json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "Maximum number shown, 1 to 10000 (default: 100).")
          long limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_SHOWN);
    DeadLetterSearch search = filters.search();
    Transactions queue = queue();
    DeadLetterFilter filter = filters.filter(CommandDatabase.now(queue));
    JooqDeadLetters deadLetters = new JooqDeadLetters(queue);
    List<DeadLetter> found = deadLetters.list(filter, search, 0, (int) limit);
    long all = found.size() < limit ? found.size() : deadLetters.count(filter, search);
    return show(
        json,
        () -> DeadLetterTexts.table(found, all),
        root -> DeadLetterTexts.fill(root, found, all));
  }

  @Command(
      description = {
        "Shows the dead letters that match the filters, grouped by topic and error. The error is"
            + " the exception's class and the first line of its message, without the values that"
            + " vary. The other commands select a group with --group. Changes nothing.",
        "Shows the 50 groups with the most recent dead letters. With only --topic, --since and"
            + " --until it reads few rows: first and last are those of the whole group, and a count"
            + " followed by + is a lower bound. With other filters it reads every dead letter that"
            + " these three select."
      })
  int groups(
      @Mixin FilterOptions filters,
      @Mixin JsonOptions json,
      @Option(
              names = "--sort",
              paramLabel = "ORDER",
              defaultValue = "largest",
              converter = EnumConverter.GroupOrders.class,
              completionCandidates = EnumConverter.GroupOrders.class,
              description =
                  "Order of the groups: ${COMPLETION-CANDIDATES}, the most recent first"
                      + " (default: largest).")
          DeadLetterGroups.Order order) {
    DeadLetterSearch search = filters.search();
    Transactions queue = queue();
    Groups found =
        new DeadLetterGroups(queue)
            .read(filters.filter(CommandDatabase.now(queue)), search)
            .by(order);
    return show(
        json, () -> DeadLetterTexts.table(found), root -> DeadLetterTexts.fill(root, found));
  }

  @Command(
      description =
          "Shows one dead letter with the error of every failed attempt. `messages show` has its"
              + " payload. Exits 1 if there is no dead letter with that id.")
  int show(
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "ID", description = "Id of the message.") MessageId id) {
    DeadLetters deadLetters = new JooqDeadLetters(queue());
    DeadLetter found =
        found(
            deadLetters.find(id),
            "there is no dead letter %1$s; `messages show %1$s` shows where the message is"
                .formatted(id));
    List<FailedAttempt> attempts = deadLetters.attempts(id);
    return show(
        json,
        () -> DeadLetterTexts.one(found, attempts),
        root -> DeadLetterTexts.fill(root, found, attempts));
  }

  @Command(
      description = {
        "Prints the dead letters that match the filters, one JSON object a line, oldest message"
            + " first. Reads them in pages and keeps none in memory. Changes nothing.",
        "Payload and headers may hold secrets. They are printed only with --with-payload, and"
            + " whole: as text if the payload is UTF-8, else in Base64. Payloads that are stored"
            + " separately are not printed."
      })
  int export(
      @Mixin FilterOptions filters,
      @Option(names = "--with-payload", description = "Print headers and payload, too.")
          boolean body,
      @Option(
              names = "--limit",
              paramLabel = "N",
              description = "Maximum number printed (default: no limit).")
          @Nullable Long limit) {
    CommandFailure.checkRange("--limit", limit == null ? 1 : limit, 1, Long.MAX_VALUE);
    DeadLetterSearch search = filters.search();
    Transactions queue = queue();
    DeadLetterFilter filter = filters.filter(CommandDatabase.now(queue));
    JooqDeadLetters deadLetters = new JooqDeadLetters(queue);
    JooqMessages messages = new JooqMessages(queue);
    long left = limit == null ? Long.MAX_VALUE : limit;
    long after = 0;
    while (left > 0 && io().out().failure() == null) {
      List<DeadLetter> page = deadLetters.list(filter, search, after, (int) Math.min(PAGE, left));
      if (page.isEmpty()) {
        break;
      }
      if (body) {
        messages.eachDead(
            page.stream().map(DeadLetter::id).toList(), found -> show(DeadLetterTexts.line(found)));
      } else {
        page.forEach(found -> show(DeadLetterTexts.line(found)));
      }
      after = page.get(page.size() - 1).id().value();
      left -= page.size();
    }
    return ExitCodes.OK;
  }

  @Command(
      customSynopsis = {
        "queue-worker dead-letters redrive ID... [--dry-run] [OPTIONS]",
        "   or: queue-worker dead-letters redrive --all [FILTERS] [--limit N]"
            + " [--rate-limit N/s] [--dry-run] [OPTIONS]"
      },
      description =
          "Makes dead letters available again, with the same ids and no attempts counted. Members"
              + " of a complete batch run without it; those of a cancelled batch that is not"
              + " complete are cancelled.")
  int redrive(
      @Mixin Selection selection,
      @Option(
              names = "--rate-limit",
              paramLabel = "N/s",
              description = "Maximum number redriven per s, m or h, e.g. 50/s (default: no limit).")
          @Nullable Rate rateLimit) {
    return change(selection, Pace.of(rateLimit), REDRIVE);
  }

  @Command(
      customSynopsis = {
        "queue-worker dead-letters delete ID... [--dry-run] [OPTIONS]",
        "   or: queue-worker dead-letters delete --all [FILTERS] [--limit N] [--dry-run]"
            + " [OPTIONS]"
      },
      description = "Deletes dead letters and their failed attempts permanently.")
  int delete(@Mixin Selection selection) {
    return change(selection, Pace.unlimited(), DELETE);
  }

  private int change(Selection selected, Pace pace, Change change) {
    if (!selected.ids.isEmpty()) {
      selected.refuseWithIds();
      DeadLetters deadLetters = new JooqDeadLetters(queue());
      return each(
          selected.ids,
          id -> {
            boolean found;
            if (selected.dryRun) {
              found = deadLetters.find(id).isPresent();
            } else {
              pace.await(1);
              found = change.work.applyAsInt(deadLetters, List.of(id)) == 1;
            }
            if (!found) {
              throw new Refusal(
                  "there is no dead letter %s; nothing was %s".formatted(id, change.done));
            }
            return "dead letter %s %s%s"
                .formatted(id, selected.dryRun ? "would be " : "", change.done);
          });
    }
    if (!selected.all) {
      throw CommandFailure.usage(
          "name dead letters by their ids, or give --all, with filters such as --topic");
    }
    if (selected.most() < 1) {
      throw CommandFailure.usage("--limit must be at least 1, not " + selected.most());
    }
    boolean ask = selected.filters.given().isEmpty() && !selected.yes && !selected.dryRun;
    if (ask) {
      needTerminal(
          "--all without a filter means every dead letter there is; add --yes, or a filter");
    }
    return changeAll(selected, pace, change, ask);
  }

  private int changeAll(Selection selected, Pace pace, Change change, boolean ask) {
    DeadLetterSearch search = selected.filters.search();
    Transactions queue = queue();
    JooqDeadLetters deadLetters = new JooqDeadLetters(queue);
    DeadLetterFilter filter = selected.filterUntilNow(CommandDatabase.now(queue));
    long matching = Math.min(selected.most(), deadLetters.count(filter, search));
    if (selected.dryRun) {
      show(selected.outcome(matching, "would be " + change.done) + "; nothing was changed");
      return ExitCodes.OK;
    }
    if (ask
        && !agreed("%s: all %s?".formatted(change.name, selected.outcome(matching, "").strip()))) {
      throw CommandFailure.failed("nothing was " + change.done, null);
    }
    try (Progress progress = Progress.ofSteps(io().err(), change.name, matching)) {
      BulkChange<MessageId> all =
          new BulkChange<>(
              change.operation(deadLetters, filter, search), pace, progress, io().shutdown());
      io().report(
              audited(
                  selected.outcome(matching, "").strip(),
                  () -> selected.outcome(all.run(selected.most()), change.done)));
    }
    return ExitCodes.OK;
  }

  private record Change(
      String name, String done, ToIntBiFunction<DeadLetters, List<MessageId>> work) {

    BulkChange.Operation<MessageId> operation(
        JooqDeadLetters deadLetters, DeadLetterFilter filter, DeadLetterSearch search) {
      return new BulkChange.Operation<>(
          (after, most) ->
              deadLetters.list(filter, search, after == null ? 0 : after.value(), most).stream()
                  .map(DeadLetter::id)
                  .toList(),
          ids -> work.applyAsInt(deadLetters, ids),
          "dead letter",
          done,
          (after, doubtful) -> "the same command continues");
    }
  }

  @Command(parameterListHeading = WITH_ALL_OR_IDS + "%n")
  static final class Selection {

    @Mixin private final FilterOptions filters = new FilterOptions();

    @Parameters(arity = "0..*", paramLabel = "ID", description = "Ids of the messages.")
    private List<MessageId> ids = List.of();

    @Option(
        names = "--all",
        description = "Instead of ids: all current dead letters that match the filters.")
    private boolean all;

    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "With --all: maximum number changed (default: no limit).")
    private @Nullable Long limit;

    @Option(names = "--dry-run", description = "Print how many would be changed; change nothing.")
    private boolean dryRun;

    @Option(
        names = "--yes",
        description = "With --all and no filter: change every dead letter without confirmation.")
    private boolean yes;

    private void refuseWithIds() {
      Set<String> given = new LinkedHashSet<>(filters.given().keySet());
      if (all) {
        given.add("--all");
      }
      if (limit != null) {
        given.add("--limit");
      }
      if (yes) {
        given.add("--yes");
      }
      if (!given.isEmpty()) {
        throw CommandFailure.usage(
            "%s cannot be combined with ids".formatted(String.join(", ", given)));
      }
    }

    /** Excludes what becomes a dead letter later; with failing handlers it would never end. */
    private DeadLetterFilter filterUntilNow(Instant now) {
      DeadLetterFilter given = filters.filter(now);
      return new DeadLetterFilter(
          given.topic(), given.reason(), given.since(), Moment.upToNow(filters.until, now));
    }

    private long most() {
      return limit == null ? Long.MAX_VALUE : limit;
    }

    private String outcome(long count, String what) {
      return TextTable.plural(count, "dead letter")
          + String.join("", filters.given().values())
          + " "
          + what;
    }
  }

  static final class FilterOptions {

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        description = "Only dead letters of this topic (default: any).")
    private @Nullable Topic topic;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description =
            "Only messages dead-lettered at this time or later: 2h or 3d ago, or"
                + " 2026-01-31T08:00:00Z (default: any).")
    private @Nullable Moment since;

    @Option(
        names = "--until",
        paramLabel = "TIME",
        description =
            "Only messages dead-lettered before this time, written as for --since (default: any).")
    private @Nullable Moment until;

    @Option(
        names = "--reason",
        paramLabel = "REASON",
        converter = EnumConverter.Reasons.class,
        completionCandidates = EnumConverter.Reasons.class,
        description =
            "Only dead letters with this reason: ${COMPLETION-CANDIDATES} (default: any).")
    private @Nullable DeadLetterReason reason;

    @Option(
        names = "--group",
        paramLabel = "GROUP",
        converter = Converters.Fingerprint.class,
        description =
            "Only dead letters with this error, a GROUP of `dead-letters groups` (default: any)."
                + " Other topics may have the same error: add --topic.")
    private @Nullable Long fingerprint;

    @Option(
        names = "--error-contains",
        paramLabel = "TEXT",
        description =
            "Only dead letters whose error contains this text, in any case (default: any).")
    private @Nullable String error;

    @Option(
        names = "--ordering-key",
        paramLabel = "KEY",
        description = "Only dead letters with this ordering key (default: any).")
    private @Nullable String orderingKey;

    @Option(
        names = "--header",
        paramLabel = "NAME=VALUE",
        description =
            "Only dead letters with this header (default: any). Can be given more than once: each"
                + " has all of them.")
    private @Nullable List<String> headers;

    /** The filter at {@code now}, by the database's clock. */
    DeadLetterFilter filter(Instant now) {
      Moment.checkOrder(since, until, now);
      return new DeadLetterFilter(topic, reason, Moment.at(since, now), Moment.at(until, now));
    }

    /** The other filters; refuses values that make no sense. */
    DeadLetterSearch search() {
      if (error != null) {
        MessageOptions.checkLocale("--error-contains", error);
        if (error.isEmpty()) {
          // It would match every dead letter.
          throw CommandFailure.usage("--error-contains must not be empty");
        }
      }
      if (orderingKey != null) {
        MessageOptions.checkLocale("--ordering-key", orderingKey);
      }
      return new DeadLetterSearch(error, fingerprint, orderingKey, MessageOptions.pairs(headers));
    }

    /** The options that are given, each with words that follow on "dead letters". */
    Map<String, String> given() {
      Map<String, String> given = new LinkedHashMap<>();
      put(given, "--topic", " of topic ", topic);
      put(given, "--reason", " with reason ", reason == null ? null : reason.label());
      put(
          given,
          "--group",
          " of group ",
          fingerprint == null ? null : DeadLetterTexts.group(fingerprint));
      put(given, "--ordering-key", " with ordering key ", orderingKey);
      put(
          given,
          "--header",
          " with header ",
          headers == null ? null : String.join(" and ", headers));
      put(given, "--error-contains", " with error text ", error);
      put(given, "--since", " since ", since == null ? null : since.text());
      put(given, "--until", " until ", until == null ? null : until.text());
      return given;
    }

    private static void put(
        Map<String, String> given, String option, String words, @Nullable Object value) {
      if (value != null) {
        given.put(option, words + value);
      }
    }
  }
}
