package io.rowqueue.proof.model;

import java.util.List;

/** A worker's process dies: its open transactions are rolled back, and nothing is settled. */
final class CrashWorker implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.lives.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.lives);
    world.say("%s crashes".formatted(life));
    List<OpenHandling> its =
        world.handlings.stream().filter(handling -> handling.life == life).toList();
    its.forEach(handling -> GoOn.end(world, handling, Ending.CRASH));
    world.end(life);
  }
}
