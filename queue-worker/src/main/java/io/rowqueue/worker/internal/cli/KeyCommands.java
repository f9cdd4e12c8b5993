package io.rowqueue.worker.internal.cli;

import io.rowqueue.internal.seal.JooqKeysInUse;
import io.rowqueue.operate.KeyUse;
import io.rowqueue.spi.KeyId;
import io.rowqueue.worker.internal.cli.CommonOptions.JsonOptions;
import io.rowqueue.worker.internal.cli.QueueCommand.CommandGroup;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

@Command(name = "encryption-keys", description = "Shows the use of the keys that encrypt payloads.")
final class KeyCommands extends CommandGroup {

  private static final List<Column<KeyUse>> COLUMNS =
      List.of(
          Column.inJson("key", KeyCommands::key),
          Column.inTable("KEY", use -> use.key() == null ? "unknown" : use.key()),
          Column.left("TABLE", "table", KeyUse::table),
          Column.right("PAYLOADS", "payloads", KeyUse::payloads));

  KeyCommands(CommandIo io) {
    super(io, "usage");
  }

  @Command(
      name = "usage",
      description = {
        "Counts the payloads encrypted with each key, by table: waiting messages, dead letters,"
            + " archived copies, results, schedules, steps of chains and completion messages. Needs"
            + " no keyset, locks nothing, and reads each table, a thousand rows at a time.",
        "With --key, exits 1 while that key, or an unknown key, still encrypts something. Run it"
            + " after the last producer has stopped using the key: uncommitted messages are not"
            + " seen."
      })
  int usage(
      @Mixin JsonOptions json,
      @Option(
              names = "--key",
              paramLabel = "ID",
              description = "Only this key, such as 0x1a2b3c4d, and payloads with an unknown key.")
          @Nullable KeyId key) {
    List<KeyUse> uses =
        new JooqKeysInUse(queue())
            .find().stream()
                .filter(use -> key == null || use.key() == null || key.equals(use.key()))
                .toList();
    String none =
        key == null
            ? "No payload is encrypted."
            : "No payload is encrypted with %s.".formatted(key);
    show(
        json,
        () -> Column.table(uses, COLUMNS, none),
        root -> root.set("keys", Column.nodes(uses, COLUMNS)));
    return key == null || uses.isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private static @Nullable String key(KeyUse use) {
    KeyId key = use.key();
    return key == null ? null : key.toString();
  }
}
