package io.rowqueue.proof.race;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two contenders for one row.
 *
 * @param winner who holds it
 * @param loser who comes
 */
record Pair(Contender winner, Contender loser) {

  static Stream<Pair> all() {
    return Arrays.stream(Contender.values())
        .flatMap(winner -> Arrays.stream(Contender.values()).map(loser -> new Pair(winner, loser)));
  }

  /** Where both could win, or, if there is no such place, where the winner can. */
  Situation situation() {
    return winner.situations().stream()
        .filter(loser.situations()::contains)
        .findFirst()
        .orElse(winner.situations().get(0));
  }

  /** Whether the loser would have its effect if the winner were not there. */
  boolean loserCouldWin() {
    return loser.situations().contains(situation());
  }

  Rule rule() {
    List<Rule> rules = Rule.ALL.stream().filter(rule -> rule.isAbout(winner, loser)).toList();
    if (rules.size() != 1) {
      throw new IllegalStateException(
          "%s and %s stand in %d rules".formatted(winner, loser, rules.size()));
    }
    return rules.get(0);
  }

  Meeting meeting() {
    return rule().meeting();
  }

  /** The table where the loser waits: of the two that ask for a wish, they meet only there. */
  String waitsAt() {
    return winner == Contender.ASK_CANCEL && loser == Contender.CANCEL_CLAIMED
        ? "queue_cancel"
        : loser.row().table();
  }

  @Override
  public String toString() {
    String ending =
        switch (meeting()) {
          case WAITS -> "waits, loses and changes nothing";
          case FOLLOWS -> "waits, and then has its effect";
          case SKIPS -> "skips it and changes nothing";
          case FINDS_NOTHING -> "finds nothing and changes nothing";
          case PASSES -> "does not wait, and both have their effect";
        };
    return "%s holds the row, %s %s".formatted(winner, loser, ending);
  }
}
