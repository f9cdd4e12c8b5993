package io.rowqueue.worker.internal.cli;

import io.rowqueue.WorkerNotifier;
import io.rowqueue.internal.operate.JooqBatches;
import io.rowqueue.operate.BatchDetails;
import io.rowqueue.operate.Batches;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
    name = "batches",
    description = "Shows the progress of batches, closes, cancels or repairs them.")
final class BatchCommands extends CommandGroup {

  static final String EACH_IS_TRIED =
      "Each is tried. A refusal is reported, and the exit code is 1.";

  private static final int MOST_SHOWN = 10_000;

  private static final List<Column<BatchDetails>> COLUMNS =
      List.of(
          Column.right("ID", "id", each -> each.batch().id()),
          Column.inLines("name", null, each -> shortened(each.name())),
          Column.inJson("name", BatchDetails::name),
          Column.inLines("state", "state", BatchDetails::state),
          Column.right("TOTAL", "total", each -> each.counts().total()),
          Column.right("DONE", "done", each -> each.counts().acked()),
          Column.right("FAILED", "failed", each -> each.counts().dead()),
          Column.right("CANCELLED", "cancelled", each -> each.counts().cancelled()),
          Column.right("LEFT", "left", each -> each.counts().left()),
          Column.inJson("closed", BatchDetails::sealed),
          Column.inTable("STATE", BatchDetails::state),
          Column.inLines(
              "waits for dead letters", "holdsDeadLetters", BatchDetails::holdsDeadLetters),
          Column.inLines("within batch", "parent", BatchDetails::parent),
          Column.inLines("shards", "shards", each -> each.batch().shards()),
          Column.left("OPENED", "openedAt", BatchDetails::createdAt),
          Column.inLines("completed", "completedAt", BatchDetails::completedAt),
          Column.inTable("NAME", each -> shortened(each.name())));

  BatchCommands(CommandIo io) {
    super(io, "list", "show", "cancel", "close", "repair");
  }

  @Command(
      description =
          "Shows incomplete batches, newest first, and the states of their members. Locks nothing.")
  int list(
      @Mixin JsonOptions json,
      @Option(names = "--all", description = "Include batches completed in the last 7 days.")
          boolean all,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "Maximum number shown, 1 to 10000 (default: 100).")
          int limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_SHOWN);
    List<BatchDetails> found = new JooqBatches(queue()).list(all, Long.MAX_VALUE, limit);
    return show(
        json,
        () -> Column.table(found, COLUMNS, "No batches."),
        root -> root.set("batches", Column.nodes(found, COLUMNS)));
  }

  @Command(
      description =
          "Shows a batch and the states of its members. Exits 1 if there is no batch with that"
              + " id; batches are deleted 7 days after completion.")
  int show(
      @Mixin JsonOptions json,
      @Parameters(
              paramLabel = "ID",
              converter = Converters.BatchId.class,
              description = "Id of the batch.")
          long id) {
    BatchDetails found =
        found(
            new JooqBatches(queue()).find(id),
            "there is no batch %d; it completed more than a week ago, or never existed"
                .formatted(id));
    return show(
        json, () -> Column.lines(found, COLUMNS), root -> Column.fill(root, found, COLUMNS));
  }

  @Command(
      description =
          "Cancels all members of a batch, and of batches within it, that have not started, and"
              + " ends its chains. Running handlers finish; then the batch completes, and its"
              + " completion message contains the number of cancelled members. Dead letters stay: a"
              + " batch that waits for them completes when they are deleted or redriven.")
  int cancel(@Mixin Ids ids) {
    return changeEach(
        ids,
        (batches, id) ->
            "cancelled: %s removed".formatted(TextTable.plural(batches.cancel(id), "message")));
  }

  @Command(
      description =
          "Closes a batch to new members, in place of a producer that did not. It completes when"
              + " its last member has ended, or at once if it is empty.")
  int close(@Mixin Ids ids) {
    return changeEach(
        ids,
        (batches, id) -> {
          batches.close(id);
          return "closed";
        });
  }

  @Command(
      description =
          "Counts the members of a batch again, after rows were deleted or inserted by hand."
              + " Missing members count as cancelled. Reads the whole queue once; settlements of"
              + " the members wait until it is done.")
  int repair(@Mixin Ids ids) {
    return changeEach(ids, (batches, id) -> "repaired: " + batches.recount(id).text());
  }

  private int changeEach(Ids given, BiFunction<Batches, Long, String> change) {
    CommandDatabase database = reach();
    Batches batches =
        new JooqBatches(
            database.transactions().ringing(WorkerNotifier.over(database.dataSource())));
    return each(given.ids, id -> "batch %d %s".formatted(id, change.apply(batches, id)));
  }

  static @Nullable String shortened(@Nullable String name) {
    return name == null ? null : TextTable.shortened(name);
  }

  @Command(parameterListHeading = EACH_IS_TRIED + "%n")
  static final class Ids {

    @Parameters(
        arity = "1..*",
        paramLabel = "ID",
        converter = Converters.BatchId.class,
        description = "Ids, one or more.")
    List<Long> ids = List.of();
  }
}
