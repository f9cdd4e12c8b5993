package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.Topic;
import io.rowqueue.internal.archive.ArchiveReplay;
import io.rowqueue.internal.archive.ArchiveReplay.Filter;
import io.rowqueue.internal.archive.ArchiveReplay.Position;
import io.rowqueue.internal.archive.JooqArchive;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.internal.cli.BulkChange.Pace;
import io.rowqueue.worker.internal.cli.Converters.Moment;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(name = "archive", description = "Replays archived messages, or partitions their table.")
final class ArchiveCommands extends CommandGroup {

  ArchiveCommands(CommandIo io) {
    super(io, "replay", "partition");
  }

  @Command(
      customSynopsis = {
        "queue-worker archive replay ID... [--dry-run] [OPTIONS]",
        "   or: queue-worker archive replay --topic TOPIC [--since TIME] [--until TIME]"
            + " [--limit N] [--rate-limit N/s] [--dry-run] [OPTIONS]"
      },
      description = {
        "Enqueues archived messages again, as new messages with new ids: with their topic,"
            + " priority, ordering key, headers and payload, due now, in no batch or chain. Their"
            + " handlers run again, so replay only what may be handled twice. The archive keeps"
            + " its copies.",
        "With --topic, in the order of the days on which they were acknowledged, then of their ids;"
            + " 200 at most per transaction. If that fails, the message says how many are done and"
            + " with which --after the command continues. With ids, each is tried, and the exit"
            + " code is 1 if the archive has no copy of one.",
        "A message whose payload was stored separately is not replayed: its payload was deleted"
            + " when it was acknowledged. The account needs `grants operator producer`."
      })
  int replay(
      @Mixin Selection selected,
      @Option(
              names = "--dry-run",
              description = "Print how many would be replayed; change nothing.")
          boolean dryRun) {
    selected.check();
    return selected.ids.isEmpty() ? replayAll(selected, dryRun) : replayEach(selected, dryRun);
  }

  private int replayEach(Selection selected, boolean dryRun) {
    ArchiveReplay archive = new ArchiveReplay(queue());
    Pace pace = selected.pace();
    return each(
        selected.ids,
        id -> {
          Position copy =
              archive
                  .find(id)
                  .orElseThrow(() -> new Refusal("the archive has no copy of message " + id));
          if (!archive.isReplayable(copy)) {
            throw new Refusal(
                "message %s cannot be replayed: its payload was stored separately".formatted(id));
          }
          if (dryRun) {
            return "message %s would be replayed".formatted(id);
          }
          pace.await(1);
          if (archive.replay(List.of(copy)) == 0) {
            throw new Refusal("message %s was not replayed: its copy is gone".formatted(id));
          }
          return "message %s is replayed".formatted(id);
        });
  }

  private int replayAll(Selection selected, boolean dryRun) {
    Transactions queue = queue();
    ArchiveReplay archive = new ArchiveReplay(queue);
    Filter filter = selected.filter(CommandDatabase.now(queue));
    Position from = selected.from(archive);
    if (dryRun) {
      long found = Math.min(selected.most(), archive.countReplayable(filter, from));
      show(archived(found) + " would be replayed; nothing was changed");
      return ExitCodes.OK;
    }
    long most = Math.min(selected.most(), archive.count(filter, from));
    BulkChange.Operation<Position> operation =
        new BulkChange.Operation<>(
            (after, page) -> archive.page(filter, after == null ? from : after, page),
            archive::replay,
            "archived message",
            "replayed",
            (after, doubtful) -> {
              String command = "the same command" + (after == null ? "" : " with --after " + after);
              return doubtful == null
                  ? command + " continues"
                  : ("up to %s they may have been replayed: if `messages list --topic %s` or the"
                          + " handlers show them as new messages, the same command with --after %s"
                          + " continues, and otherwise %s")
                      .formatted(doubtful, filter.topic(), doubtful, command);
            });
    try (Progress progress = Progress.ofSteps(io().err(), "replay", most)) {
      BulkChange<Position> all =
          new BulkChange<>(operation, selected.pace(), progress, io().shutdown());
      io().report(
              audited(
                  "topic " + filter.topic(),
                  () -> {
                    long replayed = all.run(selected.most());
                    long skipped = all.seen() - replayed;
                    return archived(replayed)
                        + " replayed"
                        + (skipped == 0
                            ? ""
                            : "; %d skipped (payload stored separately)".formatted(skipped));
                  }));
    }
    return ExitCodes.OK;
  }

  private static String archived(long count) {
    return TextTable.plural(count, "archived message");
  }

  static final class Selection {

    @Parameters(arity = "0..*", paramLabel = "ID", description = "Ids of the messages.")
    private List<MessageId> ids = List.of();

    @Option(
        names = "--topic",
        paramLabel = "TOPIC",
        description = "Instead of ids: the archived messages of this topic.")
    private @Nullable Topic topic;

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description =
            "Only messages acknowledged at this time or later: 2h or 3d ago, or"
                + " 2026-01-31T08:00:00Z (default: any).")
    private @Nullable Moment since;

    @Option(
        names = "--until",
        paramLabel = "TIME",
        description =
            "Only messages acknowledged before this time, written as for --since (default: now).")
    private @Nullable Moment until;

    @Option(
        names = "--after",
        paramLabel = "ID",
        description = "Only messages after this one, to continue a replay that failed.")
    private @Nullable MessageId after;

    @Option(
        names = "--limit",
        paramLabel = "N",
        description = "Maximum number replayed (default: no limit).")
    private @Nullable Long limit;

    @Option(
        names = "--rate-limit",
        paramLabel = "N/s",
        description = "Maximum number replayed per s, m or h, e.g. 50/s (default: no limit).")
    private @Nullable Rate rateLimit;

    private void check() {
      boolean filtered =
          topic != null || since != null || until != null || after != null || limit != null;
      if (!ids.isEmpty() && filtered) {
        throw CommandFailure.usage(
            "--topic, --since, --until, --after and --limit cannot be combined with ids");
      }
      if (ids.isEmpty() && topic == null) {
        throw CommandFailure.usage("name messages by their ids, or give --topic");
      }
      CommandFailure.checkRange("--limit", most(), 1, Long.MAX_VALUE);
    }

    /** Excludes what is acknowledged later; with fast handlers a replay would never end. */
    private Filter filter(Instant now) {
      Moment.checkOrder(since, until, now);
      return new Filter(
          Objects.requireNonNull(topic), Moment.at(since, now), Moment.upToNow(until, now));
    }

    private @Nullable Position from(ArchiveReplay archive) {
      MessageId id = after;
      return id == null
          ? null
          : found(archive.find(id), "the archive has no copy of message %s".formatted(id));
    }

    private Pace pace() {
      return Pace.of(rateLimit);
    }

    private long most() {
      return limit == null ? Long.MAX_VALUE : limit;
    }
  }

  @Command(
      description = {
        "Partitions the table of archived copies by day, once; does nothing if it is partitioned."
            + " Workers then drop whole days that no topic retains, instead of deleting copies in"
            + " batches, and create the partitions of coming days.",
        "The server copies the whole table, which takes time and temporarily as much disk space"
            + " again. Acknowledgements of topics with retention wait until it is done. Run it"
            + " while the table is small, or while no worker runs. No command undoes it.",
        "The account needs CREATE, ALTER and DROP on the table. So does the workers' account, or"
            + " workers continue to delete in batches."
      })
  int partition(
      @Option(names = "--yes", description = "Do not ask for confirmation.") boolean yes) {
    if (!yes) {
      needTerminal("the archive is copied, and acknowledgements may wait in that time; add --yes");
    }
    // A large table takes as long to copy as it takes.
    Transactions queue = reach(Duration.ZERO).transactions();
    if (!yes && !agreed("partition: copy the archive, and let acknowledgements wait?")) {
      throw CommandFailure.failed("nothing was partitioned", null);
    }
    return change(
        "whether the archive was partitioned is not known; run the same command again",
        () ->
            new JooqArchive(queue).partitionByDay()
                ? "the archive is partitioned by day"
                : "the archive was partitioned already");
  }
}
