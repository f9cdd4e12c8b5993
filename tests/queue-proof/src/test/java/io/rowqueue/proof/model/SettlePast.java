package io.rowqueue.proof.model;

import java.util.List;
import java.util.stream.Stream;

/**
 * A zombie settles a claim that was settled, reaped, handed back or forgotten long ago, or a watch
 * one whose handler still runs. Only where nobody has ended it yet may anything change.
 */
final class SettlePast implements Action {

  @Override
  public boolean isPossible(World world) {
    return !candidates(world).isEmpty();
  }

  private static List<Held> candidates(World world) {
    return Stream.concat(world.pastInReach().stream(), world.runningInReach().stream()).toList();
  }

  @Override
  public void play(World world, Choices choices) {
    Held held = choices.of(candidates(world));
    Settling settling = choices.of(Settling.values());
    world.say("a zombie settles %s: %s".formatted(world.name(held), settling));
    settling.inBoth(world, held);
  }
}
