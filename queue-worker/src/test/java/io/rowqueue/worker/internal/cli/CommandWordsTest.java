package io.rowqueue.worker.internal.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.worker.internal.cli.CommandLineProgram.CommandTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Holds messages of the source and pages to the commands and options that there are. */
class CommandWordsTest {

  private static final Path ROOT = Path.of("..");

  /** A string, or strings that + joins; a comment or a character, so that their quotes are none. */
  private static final Pattern STRINGS =
      Pattern.compile(
          "//.*|(?s:/\\*.*?\\*/)|'(?:[^'\\\\]|\\\\.)+'|(%1$s(?:\\s*\\+\\s*%1$s)*)"
              .formatted("(?:(?s:\"\"\".*?\"\"\")|\"(?:[^\"\\\\\\n]|\\\\.)*\")"));

  private static final Pattern OPTION = Pattern.compile("(?<![\\w-])--[a-z][a-z-]*");

  /** Of other programs that are named, and one that a page shows as mistyped. */
  private static final Set<String> OF_OTHERS =
      Stream.of(
              "--release", // javac
              "--offline --time --innodb-directories", // docker, mysqld
              "--faults --list --scenario --messages --longest --seed --start-server --in-all",
              "--report --rounds --size", // the benchmarks, after those of the fault harness
              "--treads")
          .flatMap(names -> Stream.of(names.split(" ")))
          .collect(Collectors.toSet());

  private final Map<String, CommandLine> commands =
      CommandTree.commands(new ProgramRun().program().model());
  private final Set<String> options =
      commands.keySet().stream()
          .flatMap(name -> options(name).stream())
          .collect(Collectors.toCollection(HashSet::new));
  private final Set<String> groups =
      commands.keySet().stream()
          .filter(name -> name.contains(" "))
          .map(name -> name.replaceFirst(" .*", ""))
          .collect(Collectors.toSet());

  /** A command behind the program's name, or at the start of code, and what belongs to it. */
  private final Pattern call =
      Pattern.compile(
          "(?:queue-worker(?:\\.jar)? +|(`))([a-z]+(?:-[a-z]+)*)(?:"
              + " +([a-z]+(?:-[a-z]+)*))?([^`|;&#\\n"
              + "]*)");

  private final List<String> wrong = new ArrayList<>();

  private Set<String> options(String command) {
    return Objects.requireNonNull(commands.get(command)).getCommandSpec().optionsMap().keySet();
  }

  @Test
  void messages_nameWhatThereIs() throws IOException {
    for (Path file :
        files(
            ROOT,
            "queue-[a-z-]*/src/main/(?!.*/(?:(?:Embedded|Reused)MariaDb|ServerProcess|SystemTables)\\.).*\\.(java|html)")) {
      String text = Files.readString(file);
      if (file.toString().endsWith(".java")) {
        Matcher strings = STRINGS.matcher(text);
        while (strings.find()) {
          if (strings.group(1) != null) {
            check(file, strings.group(1).replaceAll("\"\\s*\\+\\s*\"", ""));
          }
        }
      } else {
        check(file, text);
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void pages_nameWhatThereIs() throws IOException {
    for (Path file :
        files(
            ROOT,
            "(docs/(?!(?:.*/)?(?:decisions|outside-project)/).*|(?:queue-[a-z-]*/)?README)\\.md")) {
      // A line that a backslash continues is one.
      check(file, Files.readString(file).replaceAll("\\\\\\n\\s*", " "));
    }
    assertThat(wrong).isEmpty();
  }

  private static List<Path> files(Path root, String names) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      return all.filter(file -> root.relativize(file).toString().matches(names)).sorted().toList();
    }
  }

  private void check(Path file, String text) {
    call.matcher(text).results().forEach(found -> checkCall(file, found));
    OPTION
        .matcher(text)
        .results()
        .map(MatchResult::group)
        .filter(option -> !options.contains(option) && !OF_OTHERS.contains(option))
        .forEach(option -> wrong.add("%s: there is no %s".formatted(file, option)));
  }

  private void checkCall(Path file, MatchResult found) {
    boolean programNamed = found.group(1) == null;
    String first = found.group(2);
    String both = first + " " + found.group(3);
    String command = commands.containsKey(first) ? first : both;
    boolean isCommand = commands.containsKey(command);
    if (!isCommand && (groups.contains(first) ? found.group(3) != null : programNamed)) {
      wrong.add("%s: there is no command in '%s'".formatted(file, found.group()));
    }
    if (isCommand) {
      OPTION
          .matcher(found.group())
          .results()
          .map(MatchResult::group)
          .filter(option -> !options(command).contains(option))
          .forEach(option -> wrong.add("%s: %s has no %s".formatted(file, command, option)));
    }
  }
}
