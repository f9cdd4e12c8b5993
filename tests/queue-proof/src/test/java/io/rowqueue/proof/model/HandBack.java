package io.rowqueue.proof.model;

import io.rowqueue.claim.ClaimStore;
import java.util.List;

/** A worker gives back claims that found no thread in time, or that are due later. */
final class HandBack implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.withWaiting().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    List<Held> waiting = world.waitingOf(life);
    List<Held> back = waiting.subList(0, 1 + choices.below(waiting.size()));
    world.say("%s hands back %s".formatted(life, back.stream().map(world::name).toList()));
    int rows =
        world.protocol.get(ClaimStore.class).handBack(back.stream().map(Held::claim).toList());
    long expected = back.stream().filter(world.model::handBack).count();
    world.answered("handed back", (long) rows, expected);
    List.copyOf(back).forEach(held -> world.letGo(life, held));
  }
}
