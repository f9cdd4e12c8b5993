package io.rowqueue.worker.internal.cli;

import io.rowqueue.MessageId;
import io.rowqueue.internal.operate.JooqChains;
import io.rowqueue.operate.ChainDetails;
import io.rowqueue.operate.Chains;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(name = "chains", description = "Shows the current step of chains, or cancels them.")
final class ChainCommands extends CommandGroup {

  private static final List<Column<ChainDetails>> COLUMNS =
      List.of(
          Column.inLines("id", "id", ChainDetails::id),
          Column.inLines("name", null, each -> BatchCommands.shortened(each.name())),
          Column.inJson("name", ChainDetails::name),
          Column.inLines("message", "message", ChainCommands::message),
          Column.inLines("steps to come", null, ChainCommands::steps),
          Column.inLines("within batch", "batch", ChainDetails::batch),
          Column.inLines("enqueued", "enqueuedAt", ChainDetails::createdAt),
          Column.inJson("stepsToCome", ChainDetails::topics));

  ChainCommands(CommandIo io) {
    super(io, "show", "cancel");
  }

  @Command(
      description =
          "Shows the current message of a chain and the steps to come. Exits 1 if the chain has"
              + " ended or never existed.")
  int show(
      @Mixin JsonOptions json,
      @Parameters(
              paramLabel = "ID",
              converter = Converters.BatchId.class,
              description = "Id of the chain.")
          long id) {
    ChainDetails found =
        found(
            new JooqChains(queue()).find(id),
            "there is no chain %d; it has ended, or never existed".formatted(id));
    return show(
        json, () -> Column.lines(found, COLUMNS), root -> Column.fill(root, found, COLUMNS));
  }

  @Command(
      description =
          "Deletes the steps to come, and the current message unless a worker has claimed it. A"
              + " message that is in flight, or is dead-lettered and later redriven, is the last of"
              + " its chain.")
  int cancel(@Mixin BatchCommands.Ids given) {
    Chains chains = new JooqChains(queue());
    return each(
        given.ids,
        id ->
            chains.cancel(id)
                ? "chain %d cancelled".formatted(id)
                : "chain %d ends with its current message".formatted(id));
  }

  private static @Nullable Long message(ChainDetails chain) {
    MessageId message = chain.message();
    return message == null ? null : message.value();
  }

  private static @Nullable String steps(ChainDetails chain) {
    return chain.topics().isEmpty() ? null : String.join(", ", chain.topics());
  }
}
