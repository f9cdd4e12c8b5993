package io.rowqueue.proof.model;

import io.rowqueue.reap.Reaper;
import io.rowqueue.reap.Reaper.Reaped;
import java.util.List;

/** A worker reaps; what an open transaction is just ending is left to it. */
final class Reap implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    int maxLost = choices.of(3, 2, 1);
    world.say("a worker reaps, with a limit of %d lost claims".formatted(maxLost));
    Reaped reaped = world.protocol.get(Reaper.class).reap(500, maxLost);
    List<MessageRow> orphans = world.model.orphans();
    long quarantined = orphans.stream().filter(row -> world.model.reap(row, maxLost)).count();
    world.answered(
        "reaped", reaped, new Reaped(orphans.size() - (int) quarantined, (int) quarantined));
    if (reaped.released() > 0) {
      world.happened("a reap releases");
    }
    if (reaped.quarantined() > 0) {
      world.happened("a reap quarantines");
    }
  }
}
