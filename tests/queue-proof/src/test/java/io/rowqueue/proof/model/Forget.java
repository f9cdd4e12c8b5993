package io.rowqueue.proof.model;

/** A worker loses sight of a claim, as when the reply to its claim's COMMIT is lost. */
final class Forget implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.withWaiting().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    world.say("%s loses sight of %s".formatted(life, world.name(held)));
    world.letGo(life, held);
  }
}
