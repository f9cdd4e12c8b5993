package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Holds {@code docs/configuration.md} to the options that there are. {@code
 * -Drowqueue.docs.update=true} writes it anew.
 */
class ConfigurationPageTest {

  private static final Path PAGE = Path.of("..", "docs", "configuration.md");

  private static final String HEAD =
      """
      # Configuration

      Every setting that has a key, from the code (`ConfigurationPageTest` writes this page). A
      value comes from the flag, else from the variable, else from the line `key=value` of the file
      that `--config` names; one file may serve all commands. Flags without a key say what one call
      is about, and stand with their commands in [operations](operations.md), where durations and
      sizes are explained, too. `queue-worker config check` prints what comes of all three.

      | key | flag | variable | what it does | commands |
      |---|---|---|---|---|
      """;

  /** How one setting is called, and by whom it is used. */
  private record Setting(OptionSpec option, Set<String> commands) {}

  private static Map<String, Setting> settings() {
    Map<String, Setting> settings = new TreeMap<>();
    Map<String, CommandLine> commands = CommandTree.commands(new ProgramRun().program().model());
    commands.forEach(
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
    return settings;
  }

  private static String row(String key, Setting setting, int all) {
    String what =
        String.join(" ", setting.option.description())
            .replace("%%", "%")
            .replace("|", "\\|")
            .strip();
    String commands =
        setting.commands.size() > all / 2
            ? "nearly all"
            : setting.commands.stream()
                .map(command -> "`" + command + "`")
                .collect(Collectors.joining(", "));
    return "| `%s` | `%s` | `%s` | %s | %s |\n"
        .formatted(key, setting.option.longestName(), Settings.variable(key), what, commands);
  }

  private static String page() {
    int all = CommandTree.commands(new ProgramRun().program().model()).size();
    StringBuilder page = new StringBuilder(HEAD);
    settings().forEach((key, setting) -> page.append(row(key, setting, all)));
    return page.toString();
  }

  @Test
  void page_namesEverySettingAsItIs() throws IOException {
    if (Boolean.getBoolean("rowqueue.docs.update")) {
      Files.writeString(PAGE, page());
    }
    assertThat(Files.readString(PAGE))
        .as("run this test with -Drowqueue.docs.update=true to write the page anew")
        .isEqualTo(page());
    assertThat(settings()).hasSizeGreaterThan(40);
  }
}
