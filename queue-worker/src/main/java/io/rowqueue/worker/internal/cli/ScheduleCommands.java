package io.rowqueue.worker.internal.cli;

import io.rowqueue.InvalidMessageException;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.MisfirePolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.internal.message.TopicNames;
import io.rowqueue.internal.schedule.JooqSchedules;
import io.rowqueue.operate.InvalidScheduleException;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.ScheduleDetails;
import io.rowqueue.operate.Schedules;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.CommonOptions.LimitOptions;
import io.rowqueue.worker.internal.cli.Converters.EnumConverter;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "schedules", description = "Shows, sets, pauses or triggers schedules.")
final class ScheduleCommands extends CommandGroup {

  private static final String EACH_IS_TRIED =
      "Each is tried. An unknown schedule is reported, and the exit code is 1.";

  ScheduleCommands(CommandIo io) {
    super(io, "list", "next", "show", "set", "pause", "resume", "run-now", "remove", "revert");
  }

  @Command(
      description =
          "Shows every schedule: when it runs, what happens to missed runs, and its next runs in"
              + " UTC (for a paused schedule, as if it were not paused). Locks nothing.")
  int list(@Mixin Next next, @Mixin JsonOptions json) {
    int runs = next.runs();
    List<ScheduleDetails> schedules = new JooqSchedules(queue()).list(runs);
    return show(
        json, () -> ScheduleTexts.table(schedules), root -> ScheduleTexts.fill(root, schedules));
  }

  @Command(
      description =
          "Shows the next runs of all schedules that are not paused, the soonest first, in UTC."
              + " Locks nothing.")
  int next(
      @Mixin JsonOptions json,
      @Option(
              names = "--count",
              paramLabel = "N",
              defaultValue = "10",
              description = "Number of runs shown, 1 to 1000 (default: 10).")
          int count) {
    CommandFailure.checkRange("--count", count, 1, Schedules.MAX_NEXT_RUNS);
    List<ScheduleTexts.Run> runs =
        ScheduleTexts.runs(new JooqSchedules(queue()).list(count), count);
    return show(
        json, () -> ScheduleTexts.runTable(runs), root -> ScheduleTexts.fillRuns(root, runs));
  }

  @Command(
      description = {
        "Shows a schedule, who set it, its last and next runs in UTC, and why a worker of this"
            + " version cannot run it, if so. Exits 1 if there is no schedule with that name.",
        "Payload and headers may hold secrets. They are shown only with --with-payload, and only"
            + " their first 4,096 characters."
      })
  int show(
      @Mixin Next next,
      @Mixin JsonOptions json,
      @Parameters(paramLabel = "NAME", description = "Name of the schedule.") String name,
      @Option(names = "--with-payload", description = "Show headers and payload.") boolean body) {
    int runs = next.runs();
    Schedules schedules = new JooqSchedules(queue());
    ScheduleDetails found =
        schedules
            .find(name, runs)
            .orElseThrow(() -> CommandFailure.failed(unknown(schedules, name), null));
    return show(
        json, () -> ScheduleTexts.of(found, body), root -> ScheduleTexts.fill(root, found, body));
  }

  @Command(
      customSynopsis = {
        "queue-worker schedules set NAME --cron LINE [--zone ZONE] --topic TOPIC --payload JSON"
            + " [OPTIONS]",
        "   or: queue-worker schedules set NAME --every DURATION --topic TOPIC --payload JSON"
            + " [OPTIONS]"
      },
      description = {
        "Adds a schedule, or replaces the schedule of that name. A paused schedule stays paused,"
            + " and the next run stays unless the times change.",
        "Refuses a schedule that is declared in a worker's code, unless --override is given: then"
            + " this definition survives worker restarts, until `schedules revert`."
      })
  int set(
      @Mixin ScheduleOptions options,
      @Mixin LimitOptions limits,
      @Parameters(paramLabel = "NAME", description = "Name of the schedule.") String name,
      @Option(
              names = "--override",
              description = "Also change a schedule that is declared in a worker's code.")
          boolean override) {
    Schedule schedule = options.schedule(name);
    Schedules schedules =
        new JooqSchedules(queue(), PayloadCodec.json(), Wrapping.none(), limits.limits());
    return change(
        "whether the schedule %1$s was set is not known; `schedules show %1$s` shows it"
            .formatted(name),
        () -> {
          set(schedules, schedule, override);
          List<Instant> next = schedules.next(name, 1);
          return "schedule %s set%s"
              .formatted(name, next.isEmpty() ? "" : "; its next run is at " + next.get(0));
        });
  }

  private static void set(Schedules schedules, Schedule schedule, boolean override) {
    if (override) {
      schedules.override(schedule);
      return;
    }
    try {
      schedules.set(schedule);
    } catch (RefusedException e) {
      throw CommandFailure.failed(e.getMessage() + " with --override", e);
    }
  }

  @Command(
      description =
          "Pauses schedules until they are resumed. A run that has begun is enqueued first.")
  int pause(@Mixin Names names) {
    return changeEach(names, Schedules::pause, "paused");
  }

  @Command(
      description =
          "Resumes schedules. Each handles the runs missed during the pause by its own rule.")
  int resume(@Mixin Names names) {
    return changeEach(names, Schedules::resume, "resumed");
  }

  @Command(
      name = "run-now",
      description =
          "Enqueues the messages of schedules now, including paused ones. Their next runs stay as"
              + " they are.")
  int runNow(@Mixin Names names) {
    return changeEach(names, Schedules::runNow, "enqueued its message");
  }

  @Command(
      description =
          "Deletes schedules. Messages already enqueued are kept. A schedule that is declared in a"
              + " worker's code returns at the next worker start; pause it instead.")
  int remove(@Mixin Names names) {
    return changeEach(names, Schedules::remove, "removed");
  }

  @Command(
      description =
          "Discards operator overrides made by schedules set --override. The next start of a worker"
              + " that declares the schedule sets it again.")
  int revert(@Mixin Names names) {
    return changeEach(names, Schedules::reset, "reverted");
  }

  /** The change returns false if there is no such schedule. */
  private int changeEach(Names given, BiPredicate<Schedules, String> change, String done) {
    CommandDatabase database = reach();
    Schedules schedules =
        new JooqSchedules(
            database.transactions().ringing(WorkerNotifier.over(database.dataSource())));
    return each(
        given.names,
        name -> {
          try {
            if (!change.test(schedules, name)) {
              throw new Refusal(unknown(schedules, name));
            }
            return "schedule %s %s".formatted(name, done);
          } catch (InvalidScheduleException e) {
            // A row that cannot be read keeps no other from its turn.
            throw new Refusal(String.valueOf(e.getMessage()));
          } catch (InvalidMessageException | PayloadException e) {
            throw new Refusal("schedule '%s' cannot be read: %s".formatted(name, e.getMessage()));
          }
        });
  }

  /** That there is none of that name, and which come nearest. */
  private static String unknown(Schedules schedules, String name) {
    Set<String> known =
        schedules.list(0).stream()
            .map(ScheduleDetails::name)
            .collect(Collectors.toCollection(TreeSet::new));
    return "there is no schedule '%s'; %s"
        .formatted(
            name,
            known.isEmpty()
                ? "there is none at all"
                : "nearest: " + TextTable.printable(TopicNames.join(NearestNames.of(name, known))));
  }

  @Command(parameterListHeading = EACH_IS_TRIED + "%n")
  static final class Names {

    @Parameters(arity = "1..*", paramLabel = "NAME", description = "Names of the schedules.")
    private List<String> names = List.of();
  }

  static final class Next {

    @Option(
        names = "--next",
        paramLabel = "N",
        description = "Number of next runs shown, 0 to 1000 (default: 1).")
    private int next = 1;

    int runs() {
      CommandFailure.checkRange("--next", next, 0, Schedules.MAX_NEXT_RUNS);
      return next;
    }
  }

  static final class ScheduleOptions {

    @Mixin private final MessageOptions message = new MessageOptions();

    @Option(
        names = "--cron",
        paramLabel = "LINE",
        description =
            "Cron expression of five fields, quoted, such as '30 6 * * 1-5', or @hourly to"
                + " @yearly.")
    private @Nullable String cron;

    @Option(
        names = "--zone",
        paramLabel = "ZONE",
        description = "Time zone of --cron (default: UTC).")
    private @Nullable ZoneId zone;

    @Option(
        names = "--every",
        paramLabel = "DURATION",
        description = "Fixed rate of at least 1s. The first run is one interval from now.")
    private @Nullable Duration every;

    @Option(
        names = "--starting-at",
        paramLabel = "INSTANT",
        description =
            "Earliest first run. Applies to a new schedule, and to one whose times change.")
    private @Nullable Instant startingAt;

    @Option(
        names = "--missed",
        paramLabel = "RULE",
        converter = EnumConverter.MissedRules.class,
        completionCandidates = EnumConverter.MissedRules.class,
        description =
            "What to do with runs missed because no worker ran: skip them, enqueue only the latest"
                + " (once), or enqueue all (default: once).")
    private @Nullable MisfirePolicy missed;

    @Option(
        names = "--grace",
        paramLabel = "DURATION",
        description = "With --missed skip: a run that is later than this is missed (default: 1m).")
    private @Nullable Duration grace;

    @Option(
        names = "--payload",
        paramLabel = "JSON",
        description = "Payload of the messages. Required.")
    private @Nullable String payload;

    /** The schedule {@code name}; refuses what makes no sense before anything is tried. */
    Schedule schedule(String name) {
      return CommandFailure.usage(
          () -> {
            Schedule schedule = times(name).enqueues(message());
            schedule = startingAt == null ? schedule : schedule.startingAt(startingAt);
            schedule = missed == null ? schedule : schedule.onMisfire(missed);
            return grace == null ? schedule : schedule.withGrace(grace);
          });
    }

    private Schedule times(String name) {
      if (cron != null && every == null) {
        return Schedule.cron(name, cron, zone == null ? ZoneOffset.UTC : zone);
      }
      if (every != null && cron == null) {
        if (zone != null) {
          throw CommandFailure.usage("--zone is for --cron; a rate has none");
        }
        return Schedule.every(name, every);
      }
      throw CommandFailure.usage("give either --cron or --every");
    }

    private NewMessage message() {
      MessageOptions.Template template = message.template(MessageOptions.Due.NOW, null);
      if (payload == null) {
        throw CommandFailure.usage("no payload is given; give --payload, as in --payload '{}'");
      }
      return template.message(MessageOptions.json(payload));
    }
  }
}
