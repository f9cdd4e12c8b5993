package io.rowqueue.proof.model;

import io.rowqueue.settle.Settler;
import java.util.ArrayList;
import java.util.List;

/** A worker acks all that it has in hand in one transaction, and a zombie's claim among them. */
final class AckMany implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.withWaiting().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    List<Held> all = new ArrayList<>(world.waitingOf(life));
    List<Held> waiting = List.copyOf(all);
    List<Held> past = world.pastInReach();
    if (choices.oneIn(2) && !past.isEmpty()) {
      all.add(choices.of(past));
    }
    world.say("%s acks together %s".formatted(life, all.stream().map(world::name).toList()));
    int acked = world.protocol.get(Settler.class).ackAll(all.stream().map(Held::claim).toList());
    long expected = all.stream().filter(world.model::ack).count();
    world.answered("acked", (long) acked, expected);
    waiting.forEach(held -> world.letGo(life, held));
    if (acked < all.size()) {
      world.happened("some of a grouped ack are lost");
    }
  }
}
