package io.rowqueue.proof.model;

import io.rowqueue.claim.ClaimKey;
import io.rowqueue.claim.ClaimStore;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A worker releases what the database says is its own and what it does not know. */
final class Reconcile implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.lives.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.lives);
    world.say("%s reconciles".formatted(life));
    List<Held> known =
        Stream.concat(
                life.waiting.stream(),
                world.handlings.stream().filter(open -> open.life == life).map(open -> open.held))
            .toList();
    Set<ClaimKey> keys =
        known.stream().map(held -> ClaimKey.of(held.claim())).collect(Collectors.toSet());
    int released = world.protocol.get(ClaimStore.class).reconcile(life.lockId, keys);
    int expected = world.model.reconcile(life.lockId.value(), known);
    world.answered("released", released, expected);
    if (released > 0) {
      world.happened("reconciling releases");
    }
  }
}
