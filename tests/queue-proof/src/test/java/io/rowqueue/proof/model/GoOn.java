package io.rowqueue.proof.model;

import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.handle.Outcome;
import io.rowqueue.proof.model.HandlerThread.Station;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A handler that stands still goes on: it returns, and its message is deleted but not committed; or
 * it fails, and the failure is settled.
 */
final class GoOn implements Action {

  @Override
  public boolean isPossible(World world) {
    return !able(world).isEmpty();
  }

  /** Those whose message no other handling has deleted in its open transaction. */
  private static List<OpenHandling> able(World world) {
    return world
        .handlings(Station.HANDLING)
        .filter(handling -> !world.isLocked(handling.held.id()))
        .toList();
  }

  @Override
  public void play(World world, Choices choices) {
    OpenHandling handling = choices.of(able(world));
    Ending ending =
        choices.of(
            Ending.RETURN,
            Ending.RETURN,
            Ending.RETURN,
            Ending.FAIL,
            Ending.FAIL_FOR_GOOD,
            Ending.GIVE_BACK,
            Ending.RETRY_LATER);
    world.say(
        "the handler of %s (%s) %s"
            .formatted(world.name(handling.held.id()), handling.life, ending));
    MessageRow row = world.model.heldBy(handling.held);
    if (ending == Ending.RETURN && row != null) {
      world.answered("station", handling.thread.goOn(ending), Station.COMMITTING);
      handling.station = Station.COMMITTING;
      handling.copies = world.model.copies(row);
      world.model.locked.add(row.id);
    } else {
      end(world, handling, ending);
    }
  }

  /** Lets it come to its end, where it does not commit. */
  static void end(World world, OpenHandling handling, Ending ending) {
    world.answered("station", handling.thread.goOn(ending), Station.ENDED);
    if (handling.station == Station.COMMITTING) {
      world.model.locked.remove(handling.held.id());
    }
    world.handlings.remove(handling);
    world.past.add(handling.held);
    @Nullable Outcome expected =
        ending == Ending.CRASH ? null : settled(world, handling.held, ending);
    world.answered("outcome", handling.thread.outcome(), expected);
    world.happened("a handler " + ending + (expected == Outcome.LOST ? ", and is lost" : ""));
  }

  private static Outcome settled(World world, Held held, Ending ending) {
    boolean last = held.claim().attempts() + 1 >= Model.MAX_ATTEMPTS;
    return switch (ending) {
      case RETURN -> Outcome.LOST;
      case GIVE_BACK -> ifHeld(world.model.release(held, Ending.GIVEN_BACK_FOR), Outcome.RELEASED);
      case FAIL_FOR_GOOD -> dead(world, held, DeadLetterReason.PERMANENT_FAILURE, ending);
      case FAIL, RETRY_LATER -> {
        if (last) {
          yield dead(world, held, DeadLetterReason.ATTEMPTS_EXHAUSTED, ending);
        }
        var backoff = ending == Ending.FAIL ? Model.BACKOFF : Ending.RETRIED_AFTER;
        yield ifHeld(world.model.retry(held, ending.error(), backoff), Outcome.RETRIED);
      }
      case CRASH -> throw new IllegalStateException("nobody settles what crashed");
    };
  }

  private static Outcome dead(World world, Held held, DeadLetterReason reason, Ending ending) {
    return ifHeld(world.model.deadLetter(held, reason, ending.error()), Outcome.DEAD_LETTERED);
  }

  private static Outcome ifHeld(boolean held, Outcome outcome) {
    return held ? outcome : Outcome.LOST;
  }
}
