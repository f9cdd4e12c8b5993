package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.claim.ClaimStore;
import java.util.List;

/** A worker makes what is due available, all of it or the longest due first. */
final class Promote implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) throws Exception {
    int limit = choices.of(500, 500, 1, 2);
    world.say("a worker promotes up to %d".formatted(limit));
    List<MessageRow> due = world.model.due();
    int promoted = world.protocol.get(ClaimStore.class).promote(limit);
    world.answered("promoted", promoted, Math.min(limit, due.size()));
    if (promoted > 0) {
      // Among those that are due at the same time the server may choose.
      List<Long> available = world.availableNow();
      List<MessageRow> chosen = due.stream().filter(row -> available.contains(row.id)).toList();
      long last = chosen.stream().mapToLong(row -> row.dueAt).max().orElse(0);
      assertThat(due.stream().filter(row -> row.dueAt < last).toList())
          .as("longer due than what was promoted")
          .isSubsetOf(chosen);
      world.answered(
          "promoted", world.model.promote(chosen.stream().map(row -> row.id).toList()), promoted);
      world.happened("something is promoted");
    }
  }
}
