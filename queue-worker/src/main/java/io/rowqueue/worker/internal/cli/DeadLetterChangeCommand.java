package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetters;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Changes dead letters, either those of some ids or all that the filters mean. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields
abstract class DeadLetterChangeCommand extends OperatorCommand {

  /** For the description of each such command. */
  static final String WITH_ALL_OR_IDS =
      "With --all, two hundred are changed in one transaction. If that fails, the message says how"
          + " many are done, and the same command goes on. With ids, each is tried, and the exit"
          + " code is 1 if one is no dead letter.";

  @Spec private CommandSpec command;

  @Mixin private final FilterOptions filters = new FilterOptions();

  @Parameters(
      arity = "0..*",
      paramLabel = "ID",
      converter = MessageIdText.class,
      description = "The messages' ids.")
  private List<MessageId> ids = new ArrayList<>();

  @LineOnly
  @Option(
      names = "--all",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Instead of ids: all that the filters mean and that are dead letters now.")
  private boolean all;

  @LineOnly
  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "With --all: the most that are changed (default: no limit).")
  private @Nullable Long limit;

  @Option(
      names = "--dry-run",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "Say how many it would be, and change nothing.")
  private boolean dryRun;

  @Option(
      names = "--yes",
      arity = "0..1",
      fallbackValue = "true",
      paramLabel = "true|false",
      description = "With --all and no filter: every dead letter there is, without a question.")
  private boolean yes;

  DeadLetterChangeCommand(CommandIo io) {
    super(io);
  }

  /** What they are afterwards, such as {@code redriven}. */
  abstract String done();

  /** Does it to all of them in one transaction; returns to how many. */
  abstract int apply(DeadLetters deadLetters, List<MessageId> some);

  /** How fast it goes. */
  Pace pace() {
    return Pace.unlimited();
  }

  @Override
  public final Integer call() {
    Pace pace = pace();
    if (!ids.isEmpty()) {
      refuseBesideIds();
      DeadLetters deadLetters = new JooqDeadLetters(queue());
      return each(ids, id -> one(deadLetters, id, pace));
    }
    if (!all) {
      throw CommandFailure.usage(
          "name dead letters by their ids, or give --all, with filters such as --topic");
    }
    if (limit != null && limit < 1) {
      throw CommandFailure.usage("--limit must be at least 1, not " + limit);
    }
    boolean everyOne = filters.isEmpty() && !yes && !dryRun;
    if (everyOne) {
      needTerminal(
          "--all without a filter means every dead letter there is; add --yes, or a filter");
    }
    return sweep(queue(), pace, everyOne);
  }

  /** A --yes from elsewhere may be there for other calls. */
  private void refuseBesideIds() {
    Settings settings = (Settings) command.defaultValueProvider();
    Stream.concat(Stream.of("--all", "--limit", "--yes"), FilterOptions.NAMES.stream())
        .filter(name -> settings.rank(command.findOption(name)) == Settings.ON_COMMAND_LINE)
        .findFirst()
        .ifPresent(
            name -> {
              throw CommandFailure.usage("%s cannot be given beside ids".formatted(name));
            });
  }

  private String one(DeadLetters deadLetters, MessageId id, Pace pace) {
    boolean found;
    if (dryRun) {
      found = deadLetters.find(id).isPresent();
    } else {
      pace.await(1);
      found = apply(deadLetters, List.of(id)) == 1;
    }
    if (!found) {
      throw new Refusal("there is no dead letter %s; nothing was %s".formatted(id, done()));
    }
    return "dead letter %s %s".formatted(id, dryRun ? "would be " + done() : done());
  }

  /** What becomes a dead letter from now on is not meant, or a failing handler had no end. */
  private int sweep(Transactions queue, Pace pace, boolean ask) {
    Instant now = DatabaseNow.of(queue);
    DeadLetterFilter given = filters.filter(now);
    Instant until = given.until();
    DeadLetterFilter filter =
        new DeadLetterFilter(
            given.topic(),
            given.reason(),
            given.since(),
            until == null || until.isAfter(now) ? now : until);
    DeadLetters deadLetters = new JooqDeadLetters(queue);
    long most = limit == null ? Long.MAX_VALUE : limit;
    long matching = Math.min(most, deadLetters.count(filter));
    if (dryRun) {
      show(outcome(matching, "would be " + done()) + "; nothing was changed");
      return ExitCodes.OK;
    }
    if (ask && !agreed("%s: all %s?".formatted(command.name(), outcome(matching, "").strip()))) {
      throw CommandFailure.failed("nothing was " + done(), null);
    }
    try (Progress progress = Progress.ofSteps(io().err(), command.name(), matching)) {
      DeadLetterSweep sweep =
          new DeadLetterSweep(deed(deadLetters, filter), pace, progress, io().shutdown());
      io().tell(outcome(sweep.run(most), done()));
    }
    return ExitCodes.OK;
  }

  private String outcome(long count, String what) {
    return TextTable.plural(count, "dead letter") + filters.described() + " " + what;
  }

  private DeadLetterSweep.Deed deed(DeadLetters deadLetters, DeadLetterFilter filter) {
    return new DeadLetterSweep.Deed() {
      @Override
      public List<MessageId> page(long after, int most) {
        return deadLetters.list(filter, after, most).stream().map(DeadLetter::id).toList();
      }

      @Override
      public int apply(List<MessageId> some) {
        return DeadLetterChangeCommand.this.apply(deadLetters, some);
      }

      @Override
      public String done() {
        return DeadLetterChangeCommand.this.done();
      }
    };
  }
}
