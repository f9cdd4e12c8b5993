package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqAudit.Filter;
import io.rowqueue.internal.operate.JooqAudit.Found;
import io.rowqueue.internal.operate.JooqAudit.Written;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.Converters.Moment;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "audit", description = "Shows the changes that operators made.")
final class AuditCommands extends CommandGroup {

  private static final int MOST_SHOWN = 10_000;

  private static final List<Column<Written>> COLUMNS =
      List.of(
          Column.inJson("id", Written::id),
          Column.left("AT", "at", Written::at),
          Column.left("WHO", "who", row -> row.entry().actor()),
          Column.left("FROM", "from", row -> row.entry().origin()),
          Column.left("ACTION", "action", row -> row.entry().action()),
          Column.inTable("TARGET", row -> TextTable.shortened(row.entry().target())),
          Column.inJson("target", row -> row.entry().target()),
          Column.inTable("RESULT", row -> TextTable.shortened(row.entry().result())),
          Column.inJson("result", row -> row.entry().result()));

  AuditCommands(CommandIo io) {
    super(io, "list");
  }

  @Command(
      description =
          "Shows the last changes that operators made by commands or on the dashboard and that"
              + " match all filters, the newest first: when, who, from which host or address, what,"
              + " and with which result. Entries are kept for 400 days, and examined for 10"
              + " seconds; if there are more, a last line says so. Locks nothing.")
  int list(
      @Mixin Filters filters,
      @Mixin JsonOptions json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "Maximum number shown, 1 to 10000 (default: 100).")
          int limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_SHOWN);
    Transactions queue = queue();
    Filter filter = filters.filter(CommandDatabase.now(queue));
    Found found = new JooqAudit(queue).find(filter, null, limit, MessageTexts.PATIENCE);
    List<Written> rows = found.entries();
    boolean examined = found.before() == null || rows.size() == limit;
    return show(
        json,
        () -> table(rows, examined),
        root -> {
          root.put("allExamined", examined);
          root.set("changes", Column.nodes(rows, COLUMNS));
        });
  }

  private static String table(List<Written> rows, boolean examined) {
    String table = Column.table(rows, COLUMNS, "No changes.");
    return examined
        ? table
        : "%s\n\nThe search stopped after %d s, and there are older changes; add --until."
            .formatted(table, MessageTexts.PATIENCE.toSeconds());
  }

  @Command
  static final class Filters {

    @Option(
        names = "--target",
        paramLabel = "TEXT",
        description =
            "Only changes whose target contains this text, in the same case, such as a topic or an"
                + " id (default: any).")
    private String target = "";

    @Option(
        names = "--by",
        paramLabel = "USER",
        description = "Only changes by this user, or from this host or address (default: any).")
    private String by = "";

    @Option(
        names = "--action",
        paramLabel = "WORDS",
        description =
            "Only changes whose action has these words, such as 'purge topic', by commands and on"
                + " the dashboard (default: any).")
    private String action = "";

    @Option(
        names = "--since",
        paramLabel = "TIME",
        description =
            "Only changes made at this time or later: 2h or 3d ago, or 2026-01-31T08:00:00Z"
                + " (default: any).")
    private @Nullable Moment since;

    @Option(
        names = "--until",
        paramLabel = "TIME",
        description = "Only changes made before this time, written as for --since (default: any).")
    private @Nullable Moment until;

    Filter filter(Instant now) {
      MessageOptions.checkLocale("--target", target);
      Moment.checkOrder(since, until, now);
      return new Filter(target, by, action, Moment.at(since, now), Moment.at(until, now));
    }
  }
}
