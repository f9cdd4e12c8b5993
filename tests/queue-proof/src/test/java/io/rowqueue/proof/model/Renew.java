package io.rowqueue.proof.model;

import io.rowqueue.reap.WorkerAddress;
import io.rowqueue.reap.WorkerRegistry;
import java.time.Duration;

/** A worker renews its lease, or learns that it is dead, and gives up what nobody handles yet. */
final class Renew implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.lives.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.lives);
    Duration lease = Model.LEASE;
    world.say("%s renews its lease".formatted(life));
    boolean alive =
        world.protocol.get(WorkerRegistry.class).renew(life.lockId, lease, WorkerAddress.NONE);
    world.answered("renewed", alive, world.model.renew(life.lockId.value()));
    if (!alive) {
      world.end(life);
      world.happened("a worker learns that it is dead");
    }
  }
}
