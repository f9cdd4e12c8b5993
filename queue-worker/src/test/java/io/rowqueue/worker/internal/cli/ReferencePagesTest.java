package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.Account;
import io.rowqueue.worker.GrantScript;
import io.rowqueue.worker.Migrator;
import io.rowqueue.worker.Role;
import io.rowqueue.worker.SchemaName;
import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Generates the pages of {@code docs/reference} from the code and compares them. {@code
 * -Drowqueue.docs.update=true} writes them.
 */
class ReferencePagesTest {

  private static final Path FOLDER = Path.of("..", "docs", "reference");

  /** The default, which the help has in parentheses at the end of a sentence. */
  private static final Pattern DEFAULT =
      Pattern.compile("\\s*\\(default: ((?:[^()]|\\([^)]*\\))+)\\)");

  private static final Pattern COLUMN = Pattern.compile("(?m)^  (\\w+) ");
  private static final Pattern TABLE = Pattern.compile("CREATE TABLE (?:IF NOT EXISTS )?(\\w+)");

  private static final String NONE = "–";

  private static final Map<String, CommandLine> COMMANDS =
      CommandTree.commands(new ProgramRun().program().model());

  /** What each page has to say, by its name. */
  private static final Map<String, Supplier<String>> PAGES =
      Map.of(
          "cli", ReferencePagesTest::cli,
          "configuration", ReferencePagesTest::configuration,
          "exit-codes", ReferencePagesTest::exitCodes,
          "grants", ReferencePagesTest::grants,
          "schema", ReferencePagesTest::schema);

  private static Set<String> pages() {
    return PAGES.keySet();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void page_isWhatTheCodeSays(String page) throws IOException {
    Path file = FOLDER.resolve(page + ".md");
    String text = Objects.requireNonNull(PAGES.get(page)).get();
    if (Boolean.getBoolean("rowqueue.docs.update")) {
      Files.writeString(file, text);
    }
    assertThat(Files.readString(file))
        .as("%s; -Drowqueue.docs.update=true on this test writes it", file)
        .isEqualTo(text);
  }

  @Test
  void everySettingOfTheProgram_isOnOnePage() {
    assertThat(settings().keySet()).hasSizeGreaterThan(35);
    assertThat(COMMANDS).hasSizeGreaterThan(30);
    assertThat(schema()).contains("## queue_message\n", "## queue_schema\n");
  }

  private static String cli() {
    StringBuilder page =
        new StringBuilder(
            """
            # Command line

            Generated from the program. `queue-worker` stands for `java -jar queue-worker.jar`; the
            distribution has a script of that name. `queue-worker COMMAND --help` prints the same text.

            Most options can also be set by a variable or a line of a properties file: see
            [configuration](configuration.md). Results go to standard output, all else to standard
            error. What a command returns: [exit codes](exit-codes.md). The objects that `--json`
            prints: [JSON output](json.md).

            Durations are written `500ms`, `30s`, `5m`, `1h`, `2d` or ISO-8601 (`PT5M`), up to 100 years.
            Sizes are written `65536`, `16k`, `4m`, `4MiB` or `1g`, in powers of 1,024, up to 2 GiB.

            ## Options of every command

            Of these, `grants` and `completion` have those that need no database.

            """);
    page.append(options(common()));
    String group = "";
    for (Map.Entry<String, CommandLine> each : new TreeMap<>(COMMANDS).entrySet()) {
      String name = each.getKey();
      String[] words = name.split(" ", 2);
      if (words.length == 2 && !words[0].equals(group)) {
        CommandSpec parent = each.getValue().getParent().getCommandSpec();
        page.append("\n## %s\n\n%s\n".formatted(words[0], description(parent)));
      }
      group = words[0];
      page.append("\n%s %s\n\n".formatted(words.length == 2 ? "###" : "##", name));
      page.append(command(each.getValue().getCommandSpec()));
    }
    return page.toString();
  }

  private static String command(CommandSpec spec) {
    List<ArgSpec> own = new ArrayList<>(spec.positionalParameters());
    Set<String> common =
        common().stream()
            .map(option -> ((OptionSpec) option).longestName())
            .collect(Collectors.toSet());
    spec.options().stream()
        .filter(option -> !option.hidden() && !common.contains(option.longestName()))
        .forEach(own::add);
    String synopsis =
        spec.usageMessage().customSynopsis().length > 0
            ? String.join("\n", spec.usageMessage().customSynopsis())
            : new CommandLine.Help(spec, CommandLine.Help.Ansi.OFF).synopsis(0);
    return "%s\n\n```text\n%s\n```\n%s"
        .formatted(
            description(spec), plain(synopsis).strip(), own.isEmpty() ? "" : "\n" + options(own));
  }

  private static String description(CommandSpec spec) {
    return Stream.of(spec.usageMessage().description())
        .filter(text -> !text.isEmpty())
        .map(ReferencePagesTest::plain)
        .map(text -> text.replace("<", "&lt;").replaceFirst("^  (\\S+) +", "- `$1`: "))
        .collect(Collectors.joining("\n\n"));
  }

  /** What every command has that opens the database. */
  private static List<ArgSpec> common() {
    List<CommandSpec> opening =
        COMMANDS.values().stream()
            .map(CommandLine::getCommandSpec)
            .filter(spec -> spec.findOption("--url") != null)
            .toList();
    return opening.get(0).options().stream()
        .filter(option -> opening.stream().allMatch(has(option)))
        .map(ArgSpec.class::cast)
        .toList();
  }

  private static Predicate<CommandSpec> has(OptionSpec option) {
    return spec -> spec.findOption(option.longestName()) != null;
  }

  private static String options(List<ArgSpec> options) {
    StringBuilder table =
        new StringBuilder("| option | value | default | description |\n|---|---|---|---|\n");
    for (ArgSpec option : options) {
      table.append(
          "| %s | %s | %s | %s |\n"
              .formatted(name(option), value(option), defaultOf(option), what(option)));
    }
    return table.toString();
  }

  private static String name(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? Arrays.stream(option.names())
            .sorted((one, other) -> Integer.compare(other.length(), one.length()))
            .map(name -> "`" + name + "`")
            .collect(Collectors.joining(", "))
        : "`" + argument.paramLabel() + "`";
  }

  private static String value(ArgSpec argument) {
    return argument.isOption() && argument.arity().max() > 0
        ? "`" + argument.paramLabel().replace("|", "`, `") + "`"
        : NONE;
  }

  private static String defaultOf(ArgSpec argument) {
    Matcher found = DEFAULT.matcher(text(argument));
    return found.find() ? cell(found.group(1)) : NONE;
  }

  private static String what(ArgSpec argument) {
    return cell(DEFAULT.matcher(text(argument)).replaceFirst(""));
  }

  private static String text(ArgSpec argument) {
    return plain(String.join(" ", argument.description())).strip();
  }

  private static String plain(String text) {
    return text.replace("%n", " ").replace("%%", "%");
  }

  private static String cell(String text) {
    return text.replace("|", "\\|").replace("<", "&lt;");
  }

  /** A setting by its key, and the commands that have it. */
  private record Setting(OptionSpec option, Set<String> commands) {

    boolean isOf(String command) {
      return commands.contains(command);
    }
  }

  /** The parts of the page, each with those settings that are in none before it. */
  private enum Topic {
    EVERYWHERE("Connection and logging", "For every command that opens the database.", false) {
      @Override
      boolean has(String key, Setting setting) {
        return setting.commands.size() > COMMANDS.size() / 2;
      }
    },
    HTTP("Health, metrics, dashboard and tracing", "For `run` and `config check`.", false) {
      @Override
      boolean has(String key, Setting setting) {
        return setting.isOf("run") && key.matches("(admin|dashboard|http|tracing).*");
      }
    },
    WORKER("Worker", "For `run` and `config check`; some for other commands, too.", true) {
      @Override
      boolean has(String key, Setting setting) {
        return setting.isOf("run");
      }
    },
    DOCTOR("Diagnosis", "For `doctor`.", false) {
      @Override
      boolean has(String key, Setting setting) {
        return setting.isOf("doctor") && setting.commands.size() == 1;
      }
    },
    HIDDEN(
        "Comparing ways to claim",
        "For `run` and `config check`, only for benchmarks, and in no help: "
            + "[decisions](../internals/decisions/claims.md).",
        false) {
      @Override
      boolean has(String key, Setting setting) {
        return setting.option.hidden();
      }
    };

    private final String title;
    private final String about;
    private final boolean commands;

    Topic(String title, String about, boolean commands) {
      this.title = title;
      this.about = about;
      this.commands = commands;
    }

    abstract boolean has(String key, Setting setting);

    static Topic of(String key, Setting setting) {
      return Stream.of(values())
          .filter(topic -> setting.option.hidden() == (topic == HIDDEN))
          .filter(topic -> topic.has(key, setting))
          .findFirst()
          .orElseThrow();
    }

    String table(Map<String, Setting> settings) {
      StringBuilder table =
          new StringBuilder("\n## %s\n\n%s\n\n".formatted(title, about))
              .append("| key | flag | variable | value | default | description |")
              .append(commands ? " commands |\n" : "\n")
              .append(commands ? "|---|---|---|---|---|---|---|\n" : "|---|---|---|---|---|---|\n");
      settings.forEach(
          (key, setting) -> {
            OptionSpec option = setting.option;
            table.append(
                "| `%s` | `%s` | `%s` | %s | %s | %s |"
                    .formatted(
                        key,
                        option.longestName(),
                        Settings.variable(key),
                        value(option),
                        defaultOf(option),
                        what(option)));
            table.append(commands ? " " + names(setting) + " |\n" : "\n");
          });
      return table.toString();
    }

    private static String names(Setting setting) {
      return setting.commands.stream()
          .map(name -> "`" + name + "`")
          .collect(Collectors.joining(", "));
    }
  }

  private static String configuration() {
    Map<Topic, Map<String, Setting>> topics = new TreeMap<>();
    settings()
        .forEach(
            (key, setting) ->
                topics
                    .computeIfAbsent(Topic.of(key, setting), any -> new TreeMap<>())
                    .put(key, setting));
    StringBuilder page =
        new StringBuilder(
            """
            # Configuration

            Generated from the program: every setting that has a key. A value comes from the flag, else
            from the environment variable, else from the line `key=value` of the properties file that
            `--config` names. An empty value counts as not given. One file may serve all commands; an
            unknown key is an error. `queue-worker config check` prints the effective values and where
            each comes from. Options without a key exist on the [command line](cli.md) only.

            Durations are written `500ms`, `30s`, `5m`, `1h`, `2d` or `PT5M`; sizes `65536`, `16k`, `4m`,
            `4MiB` or `1g` (powers of 1,024).
            """);
    topics.forEach((topic, settings) -> page.append(topic.table(settings)));
    return page.toString();
  }

  private static Map<String, Setting> settings() {
    Map<String, Setting> settings = new TreeMap<>();
    COMMANDS.forEach(
        (name, command) -> {
          for (OptionSpec option : command.getCommandSpec().options()) {
            String key = Settings.key(option);
            if (key != null
                && !key.equals(Settings.CONFIG)
                && !option.usageHelp()
                && !option.versionHelp()) {
              settings
                  .computeIfAbsent(key, any -> new Setting(option, new TreeSet<>()))
                  .commands
                  .add(name);
            }
          }
        });
    // Where the words of several commands differ, those of run count.
    Objects.requireNonNull(COMMANDS.get("run"))
        .getCommandSpec()
        .options()
        .forEach(
            option ->
                settings.computeIfPresent(
                    String.valueOf(Settings.key(option)),
                    (key, setting) -> new Setting(option, setting.commands)));
    return settings;
  }

  private static String exitCodes() {
    StringBuilder page =
        new StringBuilder(
            """
            # Exit codes

            Generated from the program. A supervisor may restart a worker after 1 and 3. After 2 and 4 a
            person has to change something first.

            | code | meaning |
            |---|---|
            """);
    Objects.requireNonNull(COMMANDS.get("run"))
        .getCommandSpec()
        .usageMessage()
        .exitCodeList()
        .forEach((code, meaning) -> page.append("| `%s` | %s |\n".formatted(code, plain(meaning))));
    return page.toString();
  }

  private static String grants() {
    StringBuilder page =
        new StringBuilder(
            """
            # Grants

            Generated from the program: the privileges of each role, as `queue-worker grants ROLE --schema
            app --account 'app@10.%'` prints them. They are the same for MySQL and MariaDB. What each role
            is for: [security](../operations/security.md#accounts-and-roles).
            """);
    SchemaName schema = new SchemaName("app");
    Account account = Account.of("app@10.%");
    for (Role role : Role.values()) {
      page.append(
          "\n## %s\n\n```sql\n%s\n```\n"
              .formatted(role.label(), GrantScript.of(role).text(schema, account).strip()));
    }
    return page.toString();
  }

  /** What a row of each table stands for, and when RowQueue deletes it. */
  private static final Map<String, String> GROWTH =
      Map.ofEntries(
          rows("message", "a waiting or running message", "when it is settled"),
          rows("worker", "a worker", "when it stops, or is found dead"),
          rows("attempt", "a failed attempt of a message or dead letter", "with its message"),
          rows("dead_letter", "a dead letter", "**never by itself**: redrive or delete them"),
          rows("archive", "an acknowledged message of a topic with retention", "after that time"),
          rows(
              "counter", "a slot of a counter that handlers use", "never; their number is bounded"),
          rows("audit", "a change by an operator", "after 400 days"),
          rows("schedule", "a schedule", "when it is deleted"),
          rows("publication_lock", "a source", "never"),
          rows("subscription", "a source and a topic", "when it is deleted"),
          rows("payload_chunk", "a chunk of a payload above 32 KiB", "with its message"),
          rows("payload_ref", "a payload in a body store", "with its message"),
          rows("topic", "a topic with settings", "never"),
          rows("slot", "a permit of a topic with a limit", "never; as many as the highest limit"),
          rows("rate", "a topic with a rate limit", "never"),
          rows("depth", "a topic with back-pressure limits", "never"),
          rows("statistics", "a topic and 1, 10 or 60 minutes with work", "after a day, or 8 days"),
          rows("progress", "a running message that reports progress", "with its message"),
          rows("cancel_request", "a request that is not applied yet", "when it is applied"),
          rows("result", "a result", "when it expires"),
          rows("result_listener", "a process that awaits results", "when its lease has expired"),
          rows("batch", "a batch", "a week after its completion"),
          rows("batch_shard", "a shard of a batch", "with its batch"),
          rows("chain", "an unfinished chain", "with its last message"),
          rows("chain_step", "a step that has not begun", "when it begins"),
          rows("deduplication", "a key in use, about 150 bytes", "when no message holds it"),
          rows("ordering_lock", "an ordering key in use", "when it has no message"),
          rows("ordering_member", "a message with an ordering key", "with its message"),
          rows("ordering_group", "an ordering key in use", "when it has no message"),
          rows("schema", "a schema version, from the migrator", "never"));

  /** The table whose rows a column of another one names. */
  private static final Map<String, String> REFERENCED =
      Map.of(
          "message_id", "queue_message",
          "batch_id", "queue_batch",
          "chain_id", "queue_chain",
          "group_id", "queue_ordering_group",
          "lock_id", "queue_worker");

  private static Map.Entry<String, String> rows(String table, String one, String end) {
    return Map.entry("queue_" + table, one + " | " + end);
  }

  private static String schema() {
    StringBuilder page =
        new StringBuilder(
            """
            # Database schema

            Generated from the migration scripts and the grants. `queue-worker migrate` runs the scripts;
            `queue-worker migrate --print` prints them for an administrator who runs them instead. A schema
            that was created that way has no history, so `migrate` refuses it, and later versions are
            migrated by SQL, too. Times are UTC. Insert messages as the guides show; leave all other writes
            to RowQueue. The DDL waits at most 10 seconds for a metadata lock; how it changes live tables is
            in [upgrading](../operations/upgrading.md#migrations-and-live-tables).

            The names are fixed, without a prefix to choose, since producers in any language write them.
            Where a table of yours has such a name, create these in a schema of their own, and give RowQueue
            connections with that as their default schema.

            ## Growth, writers, deletion

            A row stands for what the second column says. Roles are those of [grants](grants.md), which
            has the columns, too; the migrator may do all. Delete nothing by SQL that RowQueue deletes;
            what a deletion of messages by SQL leaves behind: [data](../operations/data.md#after-a-deletion-by-sql).

            | table | one row for | deleted | written by |
            |---|---|---|---|
            """);
    StringBuilder uninstall =
        new StringBuilder(
            """

            ## Uninstall

            Stop all workers and producers first. Messages, dead letters and results are lost. Payloads in
            a folder or another body store, and accounts, are left for you to delete.

            ```sql
            """);
    StringBuilder references =
        new StringBuilder(
            """

            ## References

            By value: there are no foreign keys, whose locks would make producers and workers wait for each
            other. Dead letters and archived copies have the `id` of their message, shards that of their
            batch. `topic` names a row of queue_topic only if the topic has settings.

            ```mermaid
            erDiagram
            """);
    StringBuilder tables = new StringBuilder();
    StringBuilder rest = new StringBuilder("\n## Other statements\n\n```sql\n");
    for (String block : Migrator.script().split("\n\n+", -1)) {
      Matcher found = TABLE.matcher(block);
      if (found.find()) {
        String table = found.group(1);
        String comment =
            block
                .substring(0, found.start())
                .lines()
                .map(line -> line.replaceFirst("^-- ?", ""))
                .collect(Collectors.joining("\n"));
        page.append(
            "| [%s](#%s) | %s | %s |\n"
                .formatted(
                    table,
                    table,
                    Objects.requireNonNull(GROWTH.get(table), table),
                    writers(table)));
        uninstall.append("DROP TABLE IF EXISTS %s;\n".formatted(table));
        COLUMN
            .matcher(block)
            .results()
            .map(column -> column.group(1))
            .filter(column -> !REFERENCED.getOrDefault(column, table).equals(table))
            .forEach(
                column ->
                    references.append(
                        "  %s |o--o{ %s : %s\n".formatted(REFERENCED.get(column), table, column)));
        tables
            .append("\n## %s\n".formatted(table))
            .append(comment.isBlank() ? "" : "\n" + comment + "\n")
            .append("\n```sql\n%s\n```\n".formatted(block.substring(found.start()).strip()));
      } else {
        rest.append(block.strip()).append("\n");
      }
    }
    uninstall.append("DROP TABLE IF EXISTS queue_flyway_history;\n```\n");
    references.append("```\n");
    return page.append(references)
        .append(uninstall)
        .append(tables)
        .append(rest)
        .append("```\n")
        .toString();
  }

  /** The roles that change the table's rows, with what they do. */
  private static String writers(String table) {
    Pattern grant = Pattern.compile("(?m)^GRANT (.*) ON [^ ]*\\." + table + "\\W.*");
    List<String> writers = new ArrayList<>();
    for (Role role : Role.values()) {
      String script = GrantScript.of(role).text(new SchemaName("app"), Account.of("app"));
      Set<String> verbs = new TreeSet<>();
      grant
          .matcher(script.replace("`", ""))
          .results()
          .map(found -> found.group(1).replaceAll(" ?\\([^)]*\\)", ""))
          .flatMap(privileges -> Stream.of(privileges.split(", ", -1)))
          .filter(Set.of("INSERT", "UPDATE", "DELETE")::contains)
          .forEach(verbs::add);
      if (!verbs.isEmpty()) {
        writers.add(role.label() + ": " + String.join(", ", verbs));
      }
    }
    return writers.isEmpty() ? NONE : String.join("; ", writers);
  }
}
