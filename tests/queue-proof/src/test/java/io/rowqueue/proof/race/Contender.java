package io.rowqueue.proof.race;

import static io.rowqueue.proof.race.Pair.Situation.AVAILABLE;
import static io.rowqueue.proof.race.Pair.Situation.DUE;
import static io.rowqueue.proof.race.Pair.Situation.HELD_BY_THE_DEAD;
import static io.rowqueue.proof.race.Pair.Situation.HELD_BY_THE_SILENT;

import io.rowqueue.QueueException;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ReleaseMessage;
import io.rowqueue.internal.cancel.Cancellations;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.reap.Reaper;
import io.rowqueue.internal.reap.WorkerRegistry;
import io.rowqueue.internal.reap.WorkerRegistry.WorkerAddress;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.operate.Messages;
import io.rowqueue.proof.race.Pair.Situation;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Whoever wants the row: a transition as the product runs it, in what situations it can have it,
 * and what it answers when it did and when it did not.
 */
@SuppressWarnings("ImmutableEnumChecker") // It does not see that moves hold no state.
enum Contender {
  ACK(Transition.ACK, Needs.CLAIM, Row.MESSAGE, Player::handle, "ACKED", "LOST"),

  ACK_GROUPED(
      Transition.ACK,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(Settler.class).ackAll(List.of(claim)),
      "1",
      "0"),

  RETRY(
      Transition.RETRY,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.handle(claim, new IllegalStateException("not today")),
      "RETRIED",
      "LOST"),

  RELEASE(
      Transition.RELEASE,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.handle(claim, new ReleaseMessage(Duration.ofHours(1), "not now")),
      "RELEASED",
      "LOST"),

  RELEASE_AT_DRAIN(
      Transition.RELEASE,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(Settler.class).releaseAll(List.of(claim)),
      "1",
      "0"),

  DEAD_LETTER(
      Transition.DEAD_LETTER,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.handle(claim, new PermanentFailure("never")),
      "DEAD_LETTERED",
      "LOST"),

  CANCEL_CLAIMED(
      Transition.CANCEL_CLAIMED,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(Settler.class).cancel(claim),
      "true",
      "false"),

  START(
      Transition.START,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> done(() -> player.get(ClaimStore.class).start(claim)),
      "done",
      "ClaimLostException"),

  RELEASE_UNSTARTED(
      Transition.RELEASE_UNSTARTED,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(ClaimStore.class).release(List.of(claim)),
      "1",
      "0"),

  RECONCILE(
      Transition.RECONCILE,
      Needs.CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(ClaimStore.class).reconcile(claim.lockId(), Set.of()),
      "1",
      "0"),

  REAP(
      Transition.REAP,
      List.of(HELD_BY_THE_DEAD),
      Row.MESSAGE,
      (player, claim) -> player.get(Reaper.class).reap(500, 3).released(),
      "1",
      "0"),

  /** Of a message that has reached the limit of lost claims. */
  REAP_INTO_QUARANTINE(
      Transition.REAP,
      List.of(HELD_BY_THE_DEAD),
      Row.MESSAGE,
      (player, claim) -> player.get(Reaper.class).reap(500, 1).quarantined(),
      "1",
      "0"),

  /**
   * For the worker that had it before, so that only the claim number tells the two claims apart.
   */
  CLAIM(
      Transition.CLAIM,
      List.of(AVAILABLE),
      Row.MESSAGE,
      (player, claim) ->
          player
              .get(ClaimStrategy.class)
              .claim(new ClaimRequest(claim.topic(), claim.lockId(), 10, 1))
              .size(),
      "1",
      "0"),

  PROMOTE(
      Transition.PROMOTE,
      List.of(DUE),
      Row.MESSAGE,
      (player, claim) -> player.get(ClaimStore.class).promote(500),
      "1",
      "0"),

  CANCEL(
      Transition.CANCEL,
      Needs.NO_CLAIM,
      Row.MESSAGE,
      (player, claim) -> done(() -> player.get(Messages.class).cancel(claim.id())),
      "done",
      "RefusedException"),

  RESCHEDULE(
      Transition.RESCHEDULE,
      Needs.NO_CLAIM,
      Row.MESSAGE,
      (player, claim) ->
          done(() -> player.get(Messages.class).reschedule(claim.id(), Duration.ofHours(1))),
      "done",
      "RefusedException"),

  PRIORITIZE(
      Transition.PRIORITIZE,
      Needs.NO_CLAIM,
      Row.MESSAGE,
      (player, claim) -> done(() -> player.get(Messages.class).prioritize(claim.id(), 3)),
      "done",
      "RefusedException"),

  /** Where somebody holds the message it leaves a wish, whatever becomes of it. */
  REQUEST_CANCEL(
      Transition.REQUEST_CANCEL,
      List.of(AVAILABLE, DUE, HELD_BY_THE_DEAD, HELD_BY_THE_SILENT),
      Row.MESSAGE,
      (player, claim) -> done(() -> player.get(Messages.class).requestCancel(claim.id(), "ada")),
      "done",
      "RefusedException"),

  APPLY_CANCEL(
      Transition.APPLY_CANCEL,
      Needs.NO_CLAIM,
      Row.MESSAGE,
      (player, claim) -> player.get(Cancellations.class).apply(claim.id()),
      "true",
      "false"),

  REDRIVE(
      Transition.REDRIVE,
      List.of(Situation.DEAD_LETTER),
      Row.DEAD_LETTER,
      (player, claim) -> player.get(DeadLetters.class).redrive(claim.id()),
      "true",
      "false"),

  DISCARD(
      Transition.DISCARD,
      List.of(Situation.DEAD_LETTER),
      Row.DEAD_LETTER,
      (player, claim) -> player.get(DeadLetters.class).discardAll(List.of(claim.id())),
      "1",
      "0"),

  RENEW(
      Transition.RENEW,
      Needs.LIVING_WORKER,
      Row.WORKER,
      (player, claim) ->
          player
              .get(WorkerRegistry.class)
              .renew(claim.lockId(), Duration.ofMinutes(1), WorkerAddress.NONE, null),
      "true",
      "false"),

  DECLARE_DEAD(
      Transition.DECLARE_DEAD,
      Needs.LIVING_WORKER,
      Row.WORKER,
      (player, claim) -> player.get(Reaper.class).declareDead(),
      "1",
      "0"),

  /** For another worker than the one whose claim it is. */
  TAKE_SLOTS(
      Transition.TAKE_SLOTS,
      Needs.FREE_SLOT,
      Row.SLOT,
      (player, claim) ->
          player.get(TopicSlots.class).take(claim.topic(), Needs.ANOTHER, List.of(Needs.ONLY)),
      "[0]",
      "[]"),

  RELEASE_SLOTS(
      Transition.RELEASE_SLOTS,
      Needs.CLAIM,
      Row.SLOT,
      (player, claim) ->
          player.get(TopicSlots.class).release(claim.topic(), claim.lockId(), List.of(Needs.ONLY)),
      "1",
      "0"),

  FREE_SLOTS(
      Transition.FREE_SLOTS,
      List.of(HELD_BY_THE_DEAD),
      Row.SLOT,
      (player, claim) -> player.get(TopicSlots.class).freeThoseOfTheDead(claim.topic()),
      "1",
      "0");

  private final Transition transition;
  private final List<Situation> situations;
  private final Row row;
  private final Move move;
  private final String done;
  private final String lost;

  Contender(
      Transition transition,
      List<Situation> situations,
      Row row,
      Move move,
      String done,
      String lost) {
    this.transition = transition;
    this.situations = situations;
    this.row = row;
    this.move = move;
    this.done = done;
    this.lost = lost;
  }

  Transition transition() {
    return transition;
  }

  List<Situation> situations() {
    return situations;
  }

  Row row() {
    return row;
  }

  String done() {
    return done;
  }

  String lost() {
    return lost;
  }

  /** Whether it reads without locks what it is going to write, in a transaction of its own. */
  boolean looksFirst() {
    return switch (transition) {
      case RECONCILE, REAP, PROMOTE, DECLARE_DEAD, FREE_SLOTS -> true;
      default -> false;
    };
  }

  /** Runs it; an exception that says how it ended is an answer, too. */
  String run(Player player, Claim claim) {
    try {
      return String.valueOf(move.run(player, claim));
    } catch (QueueException e) {
      return e.getClass().getSimpleName();
    }
  }

  /** The name as the documentation writes it. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static String done(Runnable action) {
    action.run();
    return "done";
  }

  /** What the product does, on a player's connections. */
  private interface Move {
    Object run(Player player, Claim claim);
  }

  /** What a row is of. */
  enum Row {
    MESSAGE("queue_message"),
    DEAD_LETTER("queue_dead_letter"),
    WORKER("queue_worker"),
    SLOT("queue_slot");

    private final String table;

    Row(String table) {
      this.table = table;
    }

    String table() {
      return table;
    }
  }

  /** What several contenders need, the most welcome first. */
  private static final class Needs {
    private static final List<Situation> CLAIM = List.of(HELD_BY_THE_DEAD, HELD_BY_THE_SILENT);
    private static final List<Situation> NO_CLAIM = List.of(AVAILABLE, DUE);
    private static final List<Situation> FREE_SLOT = List.of(AVAILABLE, DUE, Situation.DEAD_LETTER);
    private static final List<Situation> LIVING_WORKER =
        List.of(HELD_BY_THE_SILENT, AVAILABLE, DUE, Situation.DEAD_LETTER);

    /** The topic's one slot. */
    private static final int ONLY = 0;

    private static final LockId ANOTHER = new LockId("host-2-race");
  }
}
