package io.rowqueue.proof.model;

import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerLife;
import io.rowqueue.reap.WorkerRegistry;
import java.util.Set;

/** A worker starts and registers. */
final class Born implements Action {

  private static final int MOST = 3;

  @Override
  public boolean isPossible(World world) {
    return world.lives.size() < MOST;
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = new Life(world.nextLockId(), choices.of(Way.values()));
    world.say("%s starts, and claims by %s".formatted(life, life.way));
    world
        .protocol
        .get(WorkerRegistry.class)
        .register(
            new WorkerLife(
                life.lockId, "host", 1, "test", Set.copyOf(World.TOPICS), WorkerAddress.NONE),
            Model.LEASE);
    world.model.register(life.lockId.value());
    world.lives.add(life);
  }
}
