package io.rowqueue.proof.model;

import io.rowqueue.deadletter.DeadLetters;
import io.rowqueue.message.MessageId;
import java.util.List;

/** An operator redrives dead letters, or deletes them for good; some ids may be none. */
final class Redrive implements Action {

  @Override
  public boolean isPossible(World world) {
    return !world.idsInReach().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    boolean redrives = !choices.oneIn(3);
    List<Long> ids = choose(world, choices);
    world.say(
        "an operator %s %s"
            .formatted(
                redrives ? "redrives" : "deletes the dead letters",
                ids.stream().map(world::name).toList()));
    DeadLetters deadLetters = world.protocol.get(DeadLetters.class);
    List<MessageId> messageIds = ids.stream().map(MessageId::new).toList();
    int done = redrives ? deadLetters.redriveAll(messageIds) : deadLetters.discardAll(messageIds);
    long expected =
        ids.stream()
            .distinct()
            .filter(id -> redrives ? world.model.redrive(id) : world.model.discard(id))
            .count();
    world.answered("dead letters", (long) done, expected);
    if (done > 0) {
      world.happened(redrives ? "a dead letter is redriven" : "a dead letter is deleted");
    }
  }

  /** Dead letters, mostly, and one that may be anything. */
  private static List<Long> choose(World world, Choices choices) {
    List<Long> dead = List.copyOf(world.model.deadLetters.keySet());
    long any = choices.of(world.idsInReach());
    return dead.isEmpty() ? List.of(any) : List.of(choices.of(dead), any);
  }
}
