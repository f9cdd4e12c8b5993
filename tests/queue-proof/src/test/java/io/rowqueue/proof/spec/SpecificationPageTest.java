package io.rowqueue.proof.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.internal.database.Transition;
import io.rowqueue.proof.spec.Tlc.Mutant;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class SpecificationPageTest {

  private static final Path ROOT = Path.of("..", "..").toAbsolutePath().normalize();
  private static final Path SPECIFICATION = Path.of("src", "test", "tla");

  private static final Pattern ROW =
      Pattern.compile("(?m)^\\| `(\\w+\\.[A-Z]\\w+)` \\| ([^|]+) \\| ([^|]+) \\|$");
  private static final Pattern MUTANT =
      Pattern.compile("(?m)^\\| `([A-Z_]+)` \\| [^|]+ \\| `(\\w+)` \\|$");
  private static final Pattern CODE = Pattern.compile("`(\\w+)\\.(\\w+)`");
  private static final Pattern LEFT_OUT = Pattern.compile("(?s)- Not specified: (.*?)\\.");

  /** Where a module says what its next step may be, and the actions that it names there. */
  private static final Pattern NEXT =
      Pattern.compile("(?ms)^(?:Progress|Mishap|Next) ==(.*?)(?:\\n\\n|\\z)");

  private static final Pattern ACTION = Pattern.compile("[A-Z]\\w+");
  private static final Set<String> NO_ACTIONS =
      Set.of("Messages", "Workers", "LockIds", "Progress", "Mishap");

  /** What an action is that writes nothing to the database. */
  private static final Set<String> NO_TRANSITION =
      Set.of("in memory", "in the server", "a query", "outside", "never");

  @Test
  void actions_ofTheSpecification_areThoseOfTheTable() throws IOException {
    Set<String> actions = new TreeSet<>();
    for (String module : List.of("RowQueue", "LivenessLock")) {
      String text = Files.readString(SPECIFICATION.resolve(module + ".tla"));
      actionsOf(text).forEach(action -> actions.add(module + "." + action));
    }
    assertThat(actions).hasSizeGreaterThan(30);
    assertThat(rows().map(row -> row.group(1))).containsExactlyInAnyOrderElementsOf(actions);
  }

  private static Set<String> actionsOf(String module) {
    return NEXT.matcher(module)
        .results()
        .flatMap(next -> ACTION.matcher(next.group(1)).results())
        .map(MatchResult::group)
        .filter(name -> !NO_ACTIONS.contains(name))
        .collect(Collectors.toSet());
  }

  @Test
  void transitions_areEachSpecifiedOrSaidToBeLeftOut() throws IOException {
    Set<String> specified =
        rows()
            .map(row -> row.group(2))
            .filter(label -> !NO_TRANSITION.contains(label))
            .collect(Collectors.toSet());
    Matcher leftOut = LEFT_OUT.matcher(page());
    assertThat(leftOut.find()).isTrue();
    List<String> others = Arrays.asList(leftOut.group(1).split(",\\s+|\\s+and\\s+"));
    assertThat(specified).doesNotContainAnyElementsOf(others);
    assertThat(Stream.concat(specified.stream(), others.stream()))
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Transition.values()).map(Transition::label).toList());
  }

  @Test
  void code_thatTheTableNames_exists() throws IOException {
    for (MatchResult row : rows().toList()) {
      List<MatchResult> named = CODE.matcher(row.group(3)).results().toList();
      assertThat(named.isEmpty())
          .as("%s names code, or says why there is none", row.group(1))
          .isEqualTo(row.group(3).startsWith("none: "));
      for (MatchResult code : named) {
        assertThat(source(code.group(1)))
            .as("%s of %s", code.group(), row.group(1))
            .containsPattern("(?m)^ {2,4}[\\w@<][^=;.]*[ >]" + code.group(2) + "\\(");
      }
    }
  }

  @Test
  void mutants_ofThePage_areThoseOfTheTest() throws IOException {
    assertThat(MUTANT.matcher(page()).results().map(row -> row.group(1) + " " + row.group(2)))
        .containsExactlyElementsOf(
            Arrays.stream(Mutant.values())
                .map(mutant -> mutant.name() + " " + mutant.broken())
                .toList());
  }

  private static Stream<MatchResult> rows() throws IOException {
    return ROW.matcher(page()).results();
  }

  private static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/internals/specification.md"));
  }

  private static String source(String className) throws IOException {
    for (String module : List.of("queue-core", "queue-worker")) {
      try (Stream<Path> files = Files.walk(ROOT.resolve(module).resolve("src/main/java"))) {
        List<Path> found = files.filter(file -> file.endsWith(className + ".java")).toList();
        if (!found.isEmpty()) {
          return Files.readString(found.get(0));
        }
      }
    }
    throw new AssertionError("no class " + className);
  }
}
