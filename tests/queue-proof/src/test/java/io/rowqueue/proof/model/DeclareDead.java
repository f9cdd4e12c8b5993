package io.rowqueue.proof.model;

import io.rowqueue.reap.Reaper;

/** A worker declares those dead whose lease has run out. */
final class DeclareDead implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.model.workers.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    world.say("a worker declares the expired dead");
    int declared = world.protocol.get(Reaper.class).declareDead();
    world.answered("declared dead", declared, world.model.declareDead());
    if (declared > 0) {
      world.happened("somebody is declared dead");
    }
  }
}
