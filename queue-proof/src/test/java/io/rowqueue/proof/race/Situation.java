package io.rowqueue.proof.race;

import io.rowqueue.claim.Claim;
import java.util.List;

/**
 * Where the one message and its one worker are when a race begins. The worker has claimed the
 * message in each, so that everybody who needs a claim has one, if only a stale one.
 */
enum Situation {
  /** The worker holds it and was declared dead, and nobody has reaped it yet. */
  HELD_BY_THE_DEAD("UPDATE queue_worker SET alive = 0"),

  /** The worker holds it, and its lease has run out. */
  HELD_BY_THE_SILENT,

  /** Nobody holds it any more. */
  AVAILABLE("UPDATE queue_message SET state = 0, lock_id = ''"),

  /** It is scheduled, and its time has come. */
  DUE("UPDATE queue_message SET state = 2, lock_id = ''"),

  /** It was set aside. */
  DEAD_LETTER {
    @Override
    void settle(Player player, Claim claim) {
      Contender.DEAD_LETTER.run(player, claim);
    }
  };

  private final String change;

  Situation() {
    this("");
  }

  Situation(String change) {
    this.change = change;
  }

  /** SQL that makes it of a message that the worker has just claimed. */
  List<String> changes() {
    return change.isEmpty() ? List.of() : List.of(change);
  }

  /** The same, by the product. */
  void settle(Player player, Claim claim) {}
}
