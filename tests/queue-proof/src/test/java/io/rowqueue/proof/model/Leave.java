package io.rowqueue.proof.model;

import io.rowqueue.reap.WorkerRegistry;
import io.rowqueue.settle.Settler;
import java.time.Duration;
import java.util.List;

/** A worker drains: it gives back what nobody handles, and deregisters. */
final class Leave implements Action {

  @Override
  public boolean isPossible(World world) {
    return !able(world).isEmpty();
  }

  private static List<Life> able(World world) {
    return world.lives.stream()
        .filter(life -> !world.isHandling(life))
        .filter(life -> world.waitingOf(life).equals(life.waiting))
        .toList();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(able(world));
    world.say("%s gives back what it has and leaves".formatted(life));
    int released =
        world
            .protocol
            .get(Settler.class)
            .releaseAll(life.waiting.stream().map(Held::claim).toList());
    long expected =
        life.waiting.stream().filter(held -> world.model.release(held, Duration.ZERO)).count();
    world.answered("released", (long) released, expected);
    world.protocol.get(WorkerRegistry.class).deregister(life.lockId);
    world.model.workers.remove(life.lockId.value());
    world.end(life);
  }
}
