package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handle.Outcome;
import io.rowqueue.proof.model.HandlerThread.Station;

/** A handler's transaction, whose effect and deletion are done, commits at last. */
final class CommitHandling implements Action {

  @Override
  public boolean isPossible(World world) {
    return world.handlings(Station.COMMITTING).findAny().isPresent();
  }

  @Override
  public void play(World world, Choices choices) {
    OpenHandling handling = choices.of(world.handlings(Station.COMMITTING).toList());
    Held held = handling.held;
    world.say("the handler of %s (%s) commits".formatted(world.name(held.id()), handling.life));
    world.model.locked.remove(held.id());
    world.answered("station", handling.thread.goOn(Ending.RETURN), Station.ENDED);
    world.answered("outcome", handling.thread.outcome(), Outcome.ACKED);
    // The lock kept everybody else away since the fence was read.
    assertThat(world.model.commit(held, handling.copies)).as("held until the COMMIT").isTrue();
    world.handlings.remove(handling);
    world.past.add(held);
    if (!world.model.lives(held.lockId())) {
      world.happened("a dead worker's commit comes before the reap");
    }
    world.happened("a handler commits");
  }
}
