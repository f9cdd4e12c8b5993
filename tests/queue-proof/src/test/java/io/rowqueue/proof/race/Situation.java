package io.rowqueue.proof.race;

import com.google.common.collect.ImmutableList;
import io.rowqueue.claim.Claim;
import java.util.List;

/**
 * Where the one message, its one worker and its topic's one slot are when a race begins. The worker
 * has claimed the message in each, so that everybody who needs a claim has one, if only a stale
 * one.
 */
enum Situation {
  /** The worker holds it and was declared dead, and nobody has reaped it yet. */
  HELD_BY_THE_DEAD("UPDATE queue_worker SET alive = 0"),

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
