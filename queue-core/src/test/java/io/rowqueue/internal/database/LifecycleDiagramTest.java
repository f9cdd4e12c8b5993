package io.rowqueue.internal.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Holds the pages of {@code docs/internals} to the transitions and the packages. */
class LifecycleDiagramTest {

  /**
   * They change a worker, a topic, a slot, a key, a schedule or a mark, and leave every message
   * where it is.
   */
  private static final Set<Transition> MOVE_NO_MESSAGE =
      Set.of(
          Transition.START,
          Transition.REGISTER,
          Transition.RENEW,
          Transition.DECLARE_DEAD,
          Transition.DEREGISTER,
          Transition.PRIORITIZE,
          Transition.PAUSE,
          Transition.RESUME,
          Transition.SET_RETENTION,
          Transition.LIMIT,
          Transition.SET_DEAD_LETTER_POLICY,
          Transition.AUDIT,
          Transition.DRAIN,
          Transition.PRUNE_KEYS,
          Transition.SWEEP_GROUPS,
          Transition.PRUNE_GROUPS,
          Transition.REGISTER_RESULT_LISTENER,
          Transition.PRUNE_RESULTS,
          Transition.BATCH_CLOSE,
          Transition.BATCH_RECOUNT,
          Transition.BATCH_PRUNE,
          Transition.SWEEP_BODIES,
          Transition.SWEEP_STORED,
          Transition.MAKE_SLOTS,
          Transition.TAKE_SLOTS,
          Transition.WANT_SLOTS,
          Transition.RELEASE_SLOTS,
          Transition.FREE_SLOTS,
          Transition.DRAW,
          Transition.APPLY_LIMIT,
          Transition.JUDGE,
          Transition.REPORT,
          Transition.RECORD_STATISTICS,
          Transition.SCHEDULE_SET,
          Transition.SCHEDULE_PAUSE,
          Transition.SCHEDULE_RESUME,
          Transition.SCHEDULE_REMOVE,
          Transition.SUBSCRIBE,
          Transition.UNSUBSCRIBE,
          Transition.MUTE,
          Transition.UNMUTE);

  private static final Pattern ARROW =
      Pattern.compile("(?m)^  \\S+ --> \\S+: ([a-z-]+)(?: \\([^)]*\\))?$");

  private static final Pattern PACKAGE = Pattern.compile("`([a-z.]+)`");

  private static final Pattern ROW = Pattern.compile("(?m)^\\| ([a-z-]+) \\| (.+) \\|$");

  private static final Path PAGES = Path.of("..", "docs", "internals");

  @Test
  void arrows_ofTheDiagram_areTheTransitionsThatMoveMessages() throws IOException {
    String page = Files.readString(PAGES.resolve("architecture.md"));
    String states = page.substring(0, page.indexOf("## Packages"));
    List<String> labels =
        ARROW.matcher(states).results().map(arrow -> arrow.group(1)).distinct().toList();
    assertThat(states.lines().filter(line -> line.contains("-->")))
        .as("arrows that are not written as 'from --> to: transition (remark)'")
        .allMatch(line -> ARROW.matcher(line).matches());
    assertThat(labels)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Transition.values())
                .filter(transition -> !MOVE_NO_MESSAGE.contains(transition))
                .map(Transition::label)
                .toList());
  }

  @Test
  void table_ofTheProtocol_hasEveryTransitionInOrderAndNoEmptyCell() throws IOException {
    String page = Files.readString(PAGES.resolve("protocol.md"));
    String table = page.substring(page.indexOf("| transition |"));
    List<MatchResult> rows = ROW.matcher(table).results().skip(1).toList();
    assertThat(rows.stream().map(row -> row.group(1)))
        .containsExactlyElementsOf(
            Arrays.stream(Transition.values()).map(Transition::label).toList());
    assertThat(rows)
        .allSatisfy(row -> assertThat(row.group(2).split(" \\| ")).hasSize(3).doesNotContain(""));
  }

  @Test
  void packages_ofThePage_areThoseOfTheSources() throws IOException {
    List<String> named =
        Files.readString(PAGES.resolve("architecture.md"))
            .lines()
            .filter(line -> line.startsWith("| `"))
            .flatMap(line -> PACKAGE.matcher(line.substring(0, line.indexOf('|', 1))).results())
            .map(found -> found.group(1))
            .toList();
    assertThat(named)
        .containsExactlyInAnyOrderElementsOf(
            Stream.concat(
                    packages("queue-core", "io/rowqueue/internal").map(Path::toString),
                    packages("queue-worker", "io/rowqueue/worker/internal")
                        .map(name -> "worker." + name))
                .toList());
  }

  private static Stream<Path> packages(String module, String root) throws IOException {
    Path sources = Path.of("..", module, "src", "main", "java").resolve(root);
    try (Stream<Path> entries = Files.list(sources)) {
      return entries.filter(Files::isDirectory).map(Path::getFileName).toList().stream();
    }
  }
}
