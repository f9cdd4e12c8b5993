package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Holds {@code docs/operations.md} to the command line as it is. */
class OperationsPageTest {

  private static final String COMMON = "Flags of every command";
  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(--[a-z-]+)`.*? \\| (\\S+) \\| (\\S+) \\|");

  private static final Set<String> WITHOUT_DATABASE = Set.of("completion", "grants");

  private final Map<String, CommandLine> commands =
      CommandTree.commands(new ProgramRun().program().model());
  private String page = "";

  @BeforeEach
  void readPage() throws IOException {
    page = Files.readString(Path.of("..", "docs", "operations.md"));
  }

  private static Set<String> commands() {
    return CommandTree.commands(new ProgramRun().program().model()).keySet();
  }

  @ParameterizedTest
  @MethodSource("commands")
  void section_ofACommand_namesItsFlagsAndNoOthers(String command) {
    Set<String> own = flags(command);
    own.removeAll(common());
    assertThat(rows(command)).as("flags of %s", command).containsExactlyInAnyOrderElementsOf(own);
  }

  @Test
  void section_ofEveryCommand_namesWhatAllHave() {
    assertThat(rows(COMMON)).containsExactlyInAnyOrderElementsOf(common());
  }

  @Test
  void rows_ofEveryFlag_nameVariableAndKey() {
    assertThat(matches(ROW, page)).hasSizeGreaterThan(60);
    checkRows(COMMON, "run");
    commands.keySet().forEach(command -> checkRows(command, command));
  }

  private void checkRows(String heading, String command) {
    for (MatchResult row : matches(ROW, section(heading))) {
      String key = Settings.key(spec(command).findOption(row.group(1)));
      boolean inFile = key != null && !key.equals(Settings.CONFIG);
      assertThat(row.group(2))
          .as("variable of %s of %s", row.group(1), command)
          .isEqualTo(key == null ? "–" : "`" + Settings.variable(key) + "`");
      assertThat(row.group(3))
          .as("key of %s of %s", row.group(1), command)
          .isEqualTo(inFile ? "`" + key + "`" : "–");
    }
  }

  @Test
  void text_anywhere_namesNoFlagThatDoesNotExist() {
    Set<String> known =
        commands.keySet().stream()
            .flatMap(command -> flags(command).stream())
            .collect(Collectors.toCollection(TreeSet::new));
    // The outputs on the page show one mistyped flag.
    known.add("--treads");
    assertThat(matches(Pattern.compile("(?<![\\w-])--[a-z][a-z-]*"), page))
        .extracting(MatchResult::group)
        .isSubsetOf(known);
  }

  @Test
  void text_anywhere_namesNoCommandThatDoesNotExist() {
    Pattern call =
        Pattern.compile(
            "queue-worker"
                + " ((?:dead-letters|messages|topics|schedules|subscriptions|batches|chains|workers"
                + "|archive|keys|config)"
                + " [a-z-]+)");
    assertThat(matches(call, page))
        .extracting(row -> row.group(1))
        .isNotEmpty()
        .isSubsetOf(commands());
  }

  @Test
  void exitCodes_onThePage_areThoseOfTheHelp() {
    assertThat(matches(Pattern.compile("(?m)^\\| `([0-9, ]+)` \\|"), section("Exit codes")))
        .extracting(row -> row.group(1))
        .containsExactlyElementsOf(ExitCodes.help().keySet());
  }

  private Set<String> common() {
    Set<String> common = flags("run");
    commands.keySet().stream()
        .filter(command -> !WITHOUT_DATABASE.contains(command))
        .forEach(command -> common.retainAll(flags(command)));
    return common;
  }

  private Set<String> flags(String command) {
    return spec(command).options().stream()
        .map(OptionSpec::longestName)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private CommandSpec spec(String command) {
    return Objects.requireNonNull(commands.get(command)).getCommandSpec();
  }

  private List<String> rows(String heading) {
    return matches(ROW, section(heading)).stream().map(row -> row.group(1)).toList();
  }

  private String section(String heading) {
    Matcher start = Pattern.compile("(?m)^###? " + Pattern.quote(heading) + "$").matcher(page);
    assertThat(start.find()).as("the heading '%s'", heading).isTrue();
    Matcher end = Pattern.compile("(?m)^###? ").matcher(page);
    return page.substring(start.start(), end.find(start.end()) ? end.start() : page.length());
  }

  private static List<MatchResult> matches(Pattern pattern, String text) {
    return pattern.matcher(text).results().toList();
  }
}
