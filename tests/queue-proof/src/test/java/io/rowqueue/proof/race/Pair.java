package io.rowqueue.proof.race;

import com.google.common.collect.ImmutableList;
import io.rowqueue.internal.claim.Claim;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Two contenders for one row. */
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
    return winner == Contender.REQUEST_CANCEL && loser == Contender.CANCEL_CLAIMED
        ? "queue_cancel_request"
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

  /** What happens to whoever comes while another holds the row. */
  enum Meeting {
    /** Waits for the COMMIT, then finds that it has lost. */
    WAITS(true, true),

    /** Waits for the COMMIT, then does its work on what that left. */
    FOLLOWS(true, false),

    /** Could have had the row, passes over it, and answers at once. */
    SKIPS(false, true),

    /** Finds nothing for it, and answers at once. */
    FINDS_NOTHING(false, true),

    /** Is about another row: it does its work at once, and both count. */
    PASSES(false, false);

    private final boolean waits;
    private final boolean loses;

    Meeting(boolean waits, boolean loses) {
      this.waits = waits;
      this.loses = loses;
    }

    /** Whether it stands before a lock until the winner has committed. */
    boolean waits() {
      return waits;
    }

    /** Whether it changes nothing, and says so. */
    boolean loses() {
      return loses;
    }
  }

  /**
   * Where the one message, its one worker and its topic's one slot are when a race begins. The
   * worker has claimed the message in each, so that everybody who needs a claim has one, if only a
   * stale one.
   */
  enum Situation {
    /** The worker holds it and was declared dead, and nobody has reaped it yet. */
    HELD_BY_THE_DEAD("UPDATE queue_worker SET is_alive = 0"),

    /** The worker holds it, and its lease has run out. */
    HELD_BY_THE_SILENT,

    /** Nobody holds it any more. */
    AVAILABLE("UPDATE queue_message SET state = 0, lock_id = ''", Slot.FREE),

    /** It is scheduled, and its time has come. */
    DUE("UPDATE queue_message SET state = 2, lock_id = ''", Slot.FREE),

    /** It was set aside. */
    DEAD_LETTER(Slot.FREE) {
      @Override
      void settle(Player player, Claim claim) {
        Contender.DEAD_LETTER.run(player, claim);
      }
    };

    private final ImmutableList<String> changes;

    Situation(String... changes) {
      this.changes = ImmutableList.copyOf(changes);
    }

    /** SQL that makes it of a message that the worker has just claimed, and of the slot it has. */
    List<String> changes() {
      return changes;
    }

    /** The same, by the product. */
    void settle(Player player, Claim claim) {}

    /** Who has no claim has no use for a slot. */
    private static final class Slot {
      private static final String FREE = "UPDATE queue_slot SET lock_id = '', taken_at = NULL";
    }
  }

  /**
   * How a race went.
   *
   * @param winner what the winner answered
   * @param loser what the loser answered
   * @param waitedAt the tables at whose rows somebody waited while the winner held its row
   * @param promised every row as the winner's COMMIT was to leave it, seen before the loser came
   * @param after every row at the end
   */
  record Race(String winner, String loser, List<String> waitedAt, Rows promised, Rows after) {}
}
