package io.rowqueue.proof.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.handler.RetryAfter;
import io.rowqueue.internal.handle.HandlerPipeline;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.proof.model.HandlerThread.Station;
import io.rowqueue.proof.model.Rows.MessageRow;
import io.rowqueue.proof.model.Rows.SettledRow;
import io.rowqueue.proof.model.Scenario.Choices;
import io.rowqueue.proof.model.World.Held;
import io.rowqueue.proof.model.World.Life;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What happens to a claim in the real pipeline, whose handlers stand still in between. */
final class HandlerSteps {

  private HandlerSteps() {}

  /** A handling that stands still: in its handler, or before its COMMIT. */
  static final class OpenHandling {
    final Life life;
    final Held held;
    final HandlerThread thread;
    Station station = Station.HANDLING;

    /** What it has written to the archive, and not committed yet. */
    List<SettledRow> copies = List.of();

    OpenHandling(Life life, Held held, HandlerThread thread) {
      this.life = life;
      this.held = held;
      this.thread = thread;
    }
  }

  /**
   * The pipeline marks suspects as started, loads what is large, and calls the handler, which
   * writes its effect and then stands still with its transaction open.
   */
  static void begin(World world, Choices choices) {
    Life life = choices.of(world.withWaiting());
    Held held = choices.of(world.waitingOf(life));
    world.say("%s begins to handle %s".formatted(life, world.name(held)));
    life.waiting.remove(held);
    HandlerThread thread =
        new HandlerThread(world.protocol.get(HandlerPipeline.class), held.claim());
    Station station = thread.begin();
    world.answered("station", station, firstStation(world, held));
    if (station == Station.ENDED) {
      world.answered("outcome", thread.outcome(), Outcome.LOST);
      world.past.add(held);
      world.happened("a handling is lost before it begins");
    } else {
      world.handlings.add(new OpenHandling(life, held, thread));
    }
  }

  /** A worker that need not ask the database does not learn yet that the claim is lost. */
  private static Station firstStation(World world, Held held) {
    boolean suspect = held.claim().suspect();
    boolean asks = suspect || !held.claim().body().loaded();
    boolean isHeld = suspect ? world.model.start(held) : world.model.heldBy(held) != null;
    return asks && !isHeld ? Station.ENDED : Station.HANDLING;
  }

  /** Those whose message no other handling has deleted in its open transaction. */
  static List<OpenHandling> unlocked(World world) {
    return world
        .handlings(Station.HANDLING)
        .filter(handling -> !world.isLocked(handling.held.id()))
        .toList();
  }

  /**
   * A handler returns, and its message is deleted but not committed; or it fails, and the failure
   * is settled.
   */
  static void goOn(World world, Choices choices) {
    OpenHandling handling = choices.of(unlocked(world));
    Ending ending =
        choices.of(
            Ending.RETURN,
            Ending.RETURN,
            Ending.RETURN,
            Ending.FAIL,
            Ending.FAIL_FOR_GOOD,
            Ending.RELEASE,
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
      case RELEASE -> ifHeld(world.model.release(held, Ending.RELEASED_FOR), Outcome.RELEASED);
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

  static boolean canCommit(World world) {
    return world.handlings(Station.COMMITTING).findAny().isPresent();
  }

  /** A handler's transaction, whose effect and deletion are done, commits at last. */
  static void commit(World world, Choices choices) {
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

  enum Ending {
    RETURN("returns"),
    FAIL("fails"),
    FAIL_FOR_GOOD("fails for good"),
    RELEASE("gives the message back"),
    RETRY_LATER("names the time of its retry"),
    CRASH("crashes");

    private static final Duration RELEASED_FOR = Duration.ofSeconds(3);
    private static final Duration RETRIED_AFTER = Duration.ofSeconds(7);

    private final String words;

    Ending(String words) {
      this.words = words;
    }

    void end() {
      switch (this) {
        case RETURN -> {}
        case FAIL -> throw new Failed();
        case FAIL_FOR_GOOD -> throw new PermanentFailure("never");
        case RELEASE -> throw new ReleaseMessage(RELEASED_FOR, "not now");
        case RETRY_LATER -> throw new RetryAfter(RETRIED_AFTER, "later");
        case CRASH -> throw new Crash();
      }
    }

    /** The error that a failed attempt leaves, as class and message. */
    private String error() {
      return switch (this) {
        case FAIL -> Failed.class.getName() + ": failed";
        case FAIL_FOR_GOOD -> PermanentFailure.class.getName() + ": never";
        case RETRY_LATER -> RetryAfter.class.getName() + ": later";
        case RETURN, RELEASE, CRASH -> throw new IllegalStateException(this + " is no failure");
      };
    }

    @Override
    public String toString() {
      return words;
    }
  }

  /** A handler's failure, without a trace, which nobody would read. */
  private static final class Failed extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Failed() {
      super("failed", null, false, false);
    }
  }

  /** The process ends here: nothing catches it, and nothing of it is settled. */
  static final class Crash extends Error {
    private static final long serialVersionUID = 1L;

    Crash() {
      super("the process has crashed", null, false, false);
    }
  }
}
