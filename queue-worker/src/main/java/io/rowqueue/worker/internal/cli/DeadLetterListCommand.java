package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.deadletter.JooqDeadLetters;
import io.rowqueue.operate.DeadLetter;
import io.rowqueue.operate.DeadLetterFilter;
import io.rowqueue.operate.DeadLetters;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows dead letters. */
@Command(
    name = "list",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker dead-letters list --url URL [FILTERS] [--json] [OPTIONS]",
    description = {
      "Shows the dead letters that the filters mean, the oldest message first, without their"
          + " payloads. Changes nothing."
    })
final class DeadLetterListCommand extends OperatorCommand {

  private static final int SHOWN = 100;
  private static final int MOST = 10_000;

  @Mixin private final FilterOptions filters = new FilterOptions();
  @Mixin private final JsonOptions json = new JsonOptions();

  @LineOnly
  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many are shown at most, 1 to 10000 (default: 100).")
  private @Nullable Long limit;

  DeadLetterListCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    int most = limit == null ? SHOWN : checked(limit);
    Transactions queue = queue();
    DeadLetterFilter filter = filters.filter(DatabaseNow.of(queue));
    DeadLetters deadLetters = new JooqDeadLetters(queue);
    List<DeadLetter> found = deadLetters.list(filter, 0, most);
    long all = found.size() < most ? found.size() : deadLetters.count(filter);
    show(
        json.choose(
            () -> DeadLetterTexts.table(found, all),
            root -> DeadLetterTexts.fill(root, found, all)));
    return ExitCodes.OK;
  }

  private static int checked(long limit) {
    if (limit < 1 || limit > MOST) {
      throw CommandFailure.usage(
          "--limit must lie between 1 and %d, not %d".formatted(MOST, limit));
    }
    return (int) limit;
  }
}
