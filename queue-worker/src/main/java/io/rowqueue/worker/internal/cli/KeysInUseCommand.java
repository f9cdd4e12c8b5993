package io.rowqueue.worker.internal.cli;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.rowqueue.internal.seal.JooqKeysInUse;
import io.rowqueue.operate.KeyUse;
import io.rowqueue.spi.KeyId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Shows which keys still have something to open. */
@Command(
    name = "in-use",
    versionProvider = VersionText.class,
    customSynopsis = "queue-worker keys in-use --url URL [--key ID] [--json] [OPTIONS]",
    description = {
      "Counts the sealed payloads that each key still has to open, table by table: what waits, dead"
          + " letters, kept copies, results, schedules, steps of chains and completion messages."
          + " Needs no keyset, locks nothing, and walks through each table, a thousand rows a"
          + " read.",
      "With --key it exits 1 while that key has something to open, or something is sealed of which"
          + " no key can be told. Ask again once nobody seals with the key any more: what is not"
          + " committed is not seen."
    })
final class KeysInUseCommand extends OperatorCommand {

  private static final List<String> COLUMNS = List.of("KEY", "TABLE", "PAYLOADS");

  @Mixin private final JsonOptions json = new JsonOptions();

  @LineOnly
  @Option(
      names = "--key",
      paramLabel = "ID",
      converter = KeyIdText.class,
      description = "Only this key, such as 0x1a2b3c4d, and what no key can be told of.")
  private @Nullable KeyId key;

  KeysInUseCommand(CommandIo io) {
    super(io);
  }

  @Override
  public Integer call() {
    List<KeyUse> uses =
        new JooqKeysInUse(queue()).find().stream().filter(this::isRequestedFor).toList();
    show(json.choose(() -> table(uses), root -> fill(root, uses)));
    return key == null || uses.isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private boolean isRequestedFor(KeyUse use) {
    return key == null || use.key() == null || key.equals(use.key());
  }

  private String table(List<KeyUse> uses) {
    if (uses.isEmpty()) {
      return key == null ? "Nothing is sealed." : "Nothing is sealed with %s.".formatted(key);
    }
    List<List<String>> rows = new ArrayList<>(List.of(COLUMNS));
    uses.forEach(use -> rows.add(row(use)));
    return TextTable.aligned(rows, 2, 2);
  }

  private static List<String> row(KeyUse use) {
    String name = use.key() == null ? "not told" : use.key().toString();
    return List.of(name, use.table(), Long.toString(use.payloads()));
  }

  private static void fill(ObjectNode root, List<KeyUse> uses) {
    ArrayNode all = root.putArray("keys");
    for (KeyUse use : uses) {
      KeyId id = use.key();
      all.addObject()
          .put("key", id == null ? null : id.toString())
          .put("table", use.table())
          .put("payloads", use.payloads());
    }
  }
}
