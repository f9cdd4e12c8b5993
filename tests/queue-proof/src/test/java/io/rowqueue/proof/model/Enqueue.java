package io.rowqueue.proof.model;

import io.rowqueue.message.MessageId;
import java.util.List;

/** A producer enqueues one message or a few, in a transaction of its own. */
final class Enqueue implements Action {

  @Override
  public boolean isPossible(World world) {
    return true;
  }

  @Override
  public void play(World world, Choices choices) {
    Parcels parcels = Parcels.choose(world, choices);
    world.say("a producer enqueues %s".formatted(parcels));
    List<MessageId> ids =
        world
            .protocol
            .producer()
            .enqueueAll(world.protocol.connections().dataSource(), parcels.messages());
    parcels.rows(world, ids).forEach(world::isCommitted);
  }
}
