package io.rowqueue.proof.model;

import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.Workers;
import java.util.List;

/** An operator asks a worker to drain, which may be dead by its row. */
final class Drain implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.model.workers.isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    String lockId = choices.of(List.copyOf(world.model.workers.keySet()));
    world.say("an operator asks %s to drain".formatted(lockId));
    world.answered("asked to drain", asked(world, lockId), world.model.drain(lockId));
  }

  private static boolean asked(World world, String lockId) {
    try {
      world.protocol.get(Workers.class).drain(lockId);
      return true;
    } catch (RefusedException e) {
      return false;
    }
  }
}
