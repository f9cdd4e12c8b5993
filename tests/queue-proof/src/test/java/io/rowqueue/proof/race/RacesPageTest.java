package io.rowqueue.proof.race;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.race.Pair.Meeting;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class RacesPageTest {

  /** With {@code -Drowqueue.docs.update=true} the page is written instead of compared. */
  private static final boolean UPDATE = Boolean.getBoolean("rowqueue.docs.update");

  @Test
  void page_isWhatTheRulesSay() throws IOException {
    if (UPDATE) {
      RacesPage.update();
    }
    assertThat(RacesPage.written()).isEqualTo(RacesPage.generated());
  }

  /** Who skips a row, or passes by it, could have had it; who finds nothing could not. */
  @ParameterizedTest(name = "{0}")
  @MethodSource("io.rowqueue.proof.race.Pair#all")
  void rule_namesWhyNobodyWaits(Pair pair) {
    if (!pair.meeting().waits()) {
      assertThat(pair.loserCouldWin())
          .as("%s in %s", pair, pair.situation())
          .isEqualTo(pair.meeting() != Meeting.FINDS_NOTHING);
    }
  }

  /** {@code docs/races.md}: what people wrote, and below a mark what the rules say. */
  static final class RacesPage {

    private static final Path FILE = Path.of("..", "..", "docs", "races.md");
    private static final String MARK =
        "<!-- What follows is written by RacesPageTest with -Drowqueue.docs.update=true. -->\n";
    private static final List<Contender> CONTENDERS = List.of(Contender.values());

    private RacesPage() {}

    /** What the page has below the mark. */
    static String written() throws IOException {
      String text = Files.readString(FILE);
      return text.substring(endOfMark(text));
    }

    /** What it should have there. */
    static String generated() {
      return String.join("\n", "", meetings(), table(), reasons(), answers());
    }

    static void update() throws IOException {
      String text = Files.readString(FILE);
      Files.writeString(FILE, text.substring(0, endOfMark(text)) + generated());
    }

    private static int endOfMark(String text) {
      int start = text.indexOf(MARK);
      if (start < 0) {
        throw new AssertionError("docs/races.md has no line " + MARK);
      }
      return start + MARK.length();
    }

    private static String meetings() {
      return Arrays.stream(Meeting.values())
          .map(meeting -> "- **%s**: %s.\n".formatted(meeting.word(), meeting.meaning()))
          .collect(joining("", "## What can happen to whoever comes\n\n", ""));
    }

    private static String table() {
      List<String> heading =
          Stream.concat(
                  Stream.of("holds the row ↓ comes →"),
                  CONTENDERS.stream().map(Contender::toString))
              .toList();
      String rows = CONTENDERS.stream().map(winner -> row(cells(winner))).collect(joining());
      return "## Every pair\n\n" + row(heading) + "|---".repeat(heading.size()) + "|\n" + rows;
    }

    private static List<String> cells(Contender winner) {
      return Stream.concat(
              Stream.of("**" + winner + "**"),
              CONTENDERS.stream().map(loser -> new Pair(winner, loser).meeting().word()))
          .toList();
    }

    private static String reasons() {
      String heading =
          """
          ## Why

          | holds the row | comes | so it | because |
          |---|---|---|---|
          """;
      return heading
          + Rule.ALL.stream().map(RacesPage::reason).map(RacesPage::row).collect(joining());
    }

    private static List<String> reason(Rule rule) {
      return List.of(
          names(rule.winners()), names(rule.losers()), rule.meeting().word(), rule.reason());
    }

    private static String answers() {
      String heading =
          """
          ## What each says

          | | asks for a row of | when it had its effect | when it had none |
          |---|---|---|---|
          """;
      return heading
          + CONTENDERS.stream().map(RacesPage::answer).map(RacesPage::row).collect(joining());
    }

    private static List<String> answer(Contender contender) {
      return List.of(
          contender.toString(),
          "`" + contender.row().table() + "`",
          contender.done(),
          contender.lost());
    }

    private static String names(List<Contender> contenders) {
      return contenders.stream().map(Contender::toString).collect(joining(", "));
    }

    private static String row(List<String> cells) {
      return "| " + String.join(" | ", cells) + " |\n";
    }
  }
}
