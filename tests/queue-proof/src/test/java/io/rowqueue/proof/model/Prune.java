package io.rowqueue.proof.model;

import io.rowqueue.archive.Archive;

/** A worker prunes copies that are older than their topic keeps them. */
final class Prune implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.model.wishes.archive.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    world.say("a worker prunes the archive");
    int pruned = world.protocol.get(Archive.class).prune(500);
    world.answered("pruned", pruned, world.model.wishes.prune(Times.day(world.model.now())));
    if (pruned > 0) {
      world.happened("copies are pruned");
    }
  }
}
