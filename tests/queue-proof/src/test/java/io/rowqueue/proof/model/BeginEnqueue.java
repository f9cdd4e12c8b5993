package io.rowqueue.proof.model;

import java.sql.Connection;

/** A producer enqueues in a transaction that stays open. */
final class BeginEnqueue implements Action {

  private static final int MOST = 2;

  @Override
  public boolean isPossible(World world) {
    return world.producers.size() < MOST;
  }

  @Override
  public void play(World world, Choices choices) throws Exception {
    Parcels parcels = Parcels.choose(world, choices);
    world.say("a producer begins a transaction and enqueues %s".formatted(parcels));
    Connection connection = world.protocol.connections().lend();
    world.producers.add(
        new OpenEnqueue(
            connection,
            parcels.rows(
                world, world.protocol.producer().enqueueAll(connection, parcels.messages()))));
  }
}
