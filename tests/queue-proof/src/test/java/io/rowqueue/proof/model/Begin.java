package io.rowqueue.proof.model;

import io.rowqueue.handle.HandlerPipeline;
import io.rowqueue.handle.Outcome;
import io.rowqueue.proof.model.HandlerThread.Station;

/**
 * The real pipeline begins with a claim: it marks suspects as started, loads what is large, and
 * calls the handler, which writes its effect and then stands still with its transaction open.
 */
final class Begin implements Action {

  private static final int MOST = 3;

  @Override
  public boolean isPossible(World world) {
    return world.handlings.size() < MOST && !world.withWaiting().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    world.say("%s begins to handle %s".formatted(life, world.name(held)));
    life.waiting.remove(held);
    HandlerThread thread =
        new HandlerThread(world.protocol.get(HandlerPipeline.class), held.claim());
    Station station = thread.begin();
    world.answered("station", station, expected(world, held));
    if (station == Station.ENDED) {
      world.answered("outcome", thread.outcome(), Outcome.LOST);
      world.past.add(held);
      world.happened("a handling is lost before it begins");
    } else {
      world.handlings.add(new OpenHandling(life, held, thread));
    }
  }

  /** Whoever need not ask the database does not learn yet that the claim is lost. */
  private static Station expected(World world, Held held) {
    boolean suspect = held.claim().suspect();
    boolean asks = suspect || !held.claim().body().loaded();
    boolean isHeld = suspect ? world.model.start(held) : world.model.heldBy(held) != null;
    return asks && !isHeld ? Station.ENDED : Station.HANDLING;
  }
}
