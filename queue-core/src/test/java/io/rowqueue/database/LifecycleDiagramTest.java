package io.rowqueue.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Holds the diagram in {@code docs/message-lifecycle.md} to the transitions that there are. */
class LifecycleDiagramTest {

  /** They change a worker's, a topic's or a message's mark, and leave every message where it is. */
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
          Transition.KEEP,
          Transition.DRAIN);

  private static final Pattern ARROW =
      Pattern.compile("(?m)^  \\S+ --> \\S+: ([a-z-]+)(?: \\([^)]*\\))?$");

  @Test
  void arrows_ofTheDiagram_areTheTransitionsThatMoveMessages() throws IOException {
    String page = Files.readString(Path.of("..", "docs", "message-lifecycle.md"));
    List<String> labels =
        ARROW.matcher(page).results().map(arrow -> arrow.group(1)).distinct().toList();
    assertThat(page.lines().filter(line -> line.contains("-->")))
        .as("arrows that are not written as 'from --> to: transition (remark)'")
        .allMatch(line -> ARROW.matcher(line).matches());
    assertThat(labels)
        .containsExactlyInAnyOrderElementsOf(
            Arrays.stream(Transition.values())
                .filter(transition -> !MOVE_NO_MESSAGE.contains(transition))
                .map(Transition::label)
                .toList());
  }
}
