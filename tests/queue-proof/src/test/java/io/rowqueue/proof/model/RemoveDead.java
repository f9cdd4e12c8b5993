package io.rowqueue.proof.model;

import io.rowqueue.reap.Reaper;

/** A worker removes the rows of the dead that hold nothing any more. */
final class RemoveDead implements Action {

  @Override
  public boolean isPossible(World world) {
    return world.model.workers.values().stream().anyMatch(row -> !row.alive());
  }

  @Override
  public void play(World world, Choices choices) {
    world.say("a worker removes the dead");
    world.answered(
        "removed", world.protocol.get(Reaper.class).removeDead(), world.model.removeDead());
  }
}
