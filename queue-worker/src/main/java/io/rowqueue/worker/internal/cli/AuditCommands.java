package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.operate.JooqAudit;
import io.rowqueue.internal.operate.JooqAudit.Written;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.util.List;
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
          "Shows the last changes that operators made by commands or on the dashboard, the newest"
              + " first: when, who, from which host or address, what, and with which result."
              + " Entries are kept for 400 days. Locks nothing.")
  int list(
      @Mixin JsonOptions json,
      @Option(
              names = "--limit",
              paramLabel = "N",
              defaultValue = "100",
              description = "Maximum number shown, 1 to 10000 (default: 100).")
          int limit) {
    CommandFailure.checkRange("--limit", limit, 1, MOST_SHOWN);
    List<Written> rows = new JooqAudit(queue()).list(limit);
    return show(
        json,
        () -> Column.table(rows, COLUMNS, "No changes."),
        root -> root.set("changes", Column.nodes(rows, COLUMNS)));
  }
}
