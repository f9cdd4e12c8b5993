package io.rowqueue.proof.model;

import io.rowqueue.message.MessageId;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import java.time.Duration;

/** An operator cancels, reschedules or prioritizes a message, which may be in flight or gone. */
final class Change implements Action {

  private enum Wish {
    CANCEL,
    MAKE_DUE_NOW,
    MAKE_DUE_IN_6_S,
    PRIORITIZE;

    @Override
    public String toString() {
      return Words.of(this);
    }
  }

  private static final Duration LATER = Duration.ofSeconds(6);
  private static final int URGENT = -3;

  @Override
  public boolean isPossible(World world) {
    return !world.idsInReach().isEmpty();
  }

  @Override
  public void play(World world, Choices choices) {
    long id = choices.of(world.idsInReach());
    Wish wish = choices.of(Wish.values());
    world.say("an operator changes %s: %s".formatted(world.name(id), wish));
    boolean done = really(world.protocol.get(Messages.class), new MessageId(id), wish);
    boolean expected = world.model.isUnclaimed(id);
    if (expected) {
      inModel(world.model, id, wish);
    }
    world.answered(wish + " was done", done, expected);
    world.happened(wish + (done ? " is done" : " is refused"));
  }

  private static boolean really(Messages messages, MessageId id, Wish wish) {
    try {
      switch (wish) {
        case CANCEL -> messages.cancel(id);
        case MAKE_DUE_NOW -> messages.reschedule(id, Duration.ZERO);
        case MAKE_DUE_IN_6_S -> messages.reschedule(id, LATER);
        case PRIORITIZE -> messages.prioritize(id, URGENT);
      }
      return true;
    } catch (RefusedException e) {
      return false;
    }
  }

  private static void inModel(Model model, long id, Wish wish) {
    switch (wish) {
      case CANCEL -> model.cancel(id);
      case MAKE_DUE_NOW -> model.reschedule(id, model.now());
      case MAKE_DUE_IN_6_S -> model.reschedule(id, model.after(LATER));
      case PRIORITIZE -> model.message(id).priority = URGENT;
    }
  }
}
