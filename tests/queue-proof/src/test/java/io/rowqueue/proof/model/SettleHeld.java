package io.rowqueue.proof.model;

/** A worker settles a claim that it has in hand; which may have been lost without its knowing. */
final class SettleHeld implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.withWaiting().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    Settling settling = choices.of(Settling.values());
    world.say("%s settles %s: %s".formatted(life, world.name(held), settling));
    settling.inBoth(world, held);
    if (settling != Settling.START) {
      world.letGo(life, held);
    }
  }
}
