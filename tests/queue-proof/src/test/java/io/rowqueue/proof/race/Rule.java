package io.rowqueue.proof.race;

import static io.rowqueue.proof.race.Contender.ACK;
import static io.rowqueue.proof.race.Contender.ACK_GROUPED;
import static io.rowqueue.proof.race.Contender.APPLY_CANCEL;
import static io.rowqueue.proof.race.Contender.CANCEL;
import static io.rowqueue.proof.race.Contender.CANCEL_CLAIMED;
import static io.rowqueue.proof.race.Contender.CLAIM;
import static io.rowqueue.proof.race.Contender.DEAD_LETTER;
import static io.rowqueue.proof.race.Contender.DECLARE_DEAD;
import static io.rowqueue.proof.race.Contender.DISCARD;
import static io.rowqueue.proof.race.Contender.FREE_SLOTS;
import static io.rowqueue.proof.race.Contender.PRIORITIZE;
import static io.rowqueue.proof.race.Contender.PROMOTE;
import static io.rowqueue.proof.race.Contender.REAP;
import static io.rowqueue.proof.race.Contender.REAP_INTO_QUARANTINE;
import static io.rowqueue.proof.race.Contender.RECONCILE;
import static io.rowqueue.proof.race.Contender.REDRIVE;
import static io.rowqueue.proof.race.Contender.RELEASE;
import static io.rowqueue.proof.race.Contender.RELEASE_AT_DRAIN;
import static io.rowqueue.proof.race.Contender.RELEASE_SLOTS;
import static io.rowqueue.proof.race.Contender.RELEASE_UNSTARTED;
import static io.rowqueue.proof.race.Contender.RENEW;
import static io.rowqueue.proof.race.Contender.REQUEST_CANCEL;
import static io.rowqueue.proof.race.Contender.RESCHEDULE;
import static io.rowqueue.proof.race.Contender.RETRY;
import static io.rowqueue.proof.race.Contender.START;
import static io.rowqueue.proof.race.Contender.TAKE_SLOTS;
import static io.rowqueue.proof.race.Pair.Meeting.FINDS_NOTHING;
import static io.rowqueue.proof.race.Pair.Meeting.FOLLOWS;
import static io.rowqueue.proof.race.Pair.Meeting.PASSES;
import static io.rowqueue.proof.race.Pair.Meeting.SKIPS;
import static io.rowqueue.proof.race.Pair.Meeting.WAITS;

import io.rowqueue.proof.race.Pair.Meeting;
import java.util.ArrayList;
import java.util.List;

/**
 * What happens when one of {@code losers} comes to a row that one of {@code winners} holds. The
 * rules of {@link #ALL} say it once for every pair.
 */
record Rule(List<Contender> winners, List<Contender> losers, Meeting meeting, String reason) {

  private static final List<Contender> FENCED =
      List.of(
          ACK,
          ACK_GROUPED,
          RETRY,
          RELEASE,
          RELEASE_AT_DRAIN,
          DEAD_LETTER,
          CANCEL_CLAIMED,
          START,
          RELEASE_UNSTARTED);
  private static final List<Contender> REAPS = List.of(REAP, REAP_INTO_QUARANTINE);
  private static final List<Contender> LOOKS = List.of(CLAIM, PROMOTE);
  private static final List<Contender> BY_ID =
      List.of(CANCEL, RESCHEDULE, PRIORITIZE, APPLY_CANCEL);
  private static final List<Contender> ASKS = List.of(REQUEST_CANCEL);
  private static final List<Contender> CANCELS = List.of(CANCEL, APPLY_CANCEL);
  private static final List<Contender> OF_DEAD_LETTERS = List.of(REDRIVE, DISCARD);
  private static final List<Contender> OF_WORKERS = List.of(RENEW, DECLARE_DEAD);

  private static final List<Contender> DELETES = List.of(ACK, ACK_GROUPED, CANCEL_CLAIMED);
  private static final List<Contender> SETS_ASIDE = List.of(DEAD_LETTER, REAP_INTO_QUARANTINE);
  private static final List<Contender> GIVES_BACK =
      List.of(RETRY, RELEASE, RELEASE_AT_DRAIN, RELEASE_UNSTARTED, RECONCILE, REAP);
  private static final List<Contender> ENDS_A_CLAIM = all(DELETES, SETS_ASIDE, GIVES_BACK);
  private static final List<Contender> OF_CLAIMS = all(ENDS_A_CLAIM, List.of(START));
  private static final List<Contender> OF_THE_UNCLAIMED = all(LOOKS, BY_ID);
  private static final List<Contender> OF_THE_CLAIMED = all(FENCED, List.of(RECONCILE), REAPS);
  private static final List<Contender> OF_THE_UNHELD = all(LOOKS, BY_ID, OF_DEAD_LETTERS);
  private static final List<Contender> FREES_SLOTS = List.of(RELEASE_SLOTS, FREE_SLOTS);
  private static final List<Contender> OF_MESSAGES =
      all(FENCED, List.of(RECONCILE), LOOKS, BY_ID, OF_DEAD_LETTERS);

  /** Every pair stands in one of them, and in one only. */
  static final List<Rule> ALL =
      List.of(
          // A claim is being ended.
          new Rule(
              ENDS_A_CLAIM,
              all(FENCED, List.of(RECONCILE)),
              WAITS,
              "the fence names a claim that is over; the row's lock comes before the fence"),
          new Rule(
              OF_CLAIMS,
              REAPS,
              SKIPS,
              "a dying worker's last COMMIT, or another reaper's, decides; the next look finds what"
                  + " it left"),
          new Rule(
              List.of(START),
              all(FENCED, List.of(RECONCILE)),
              FOLLOWS,
              "the claim goes on; it has only been marked as started"),
          new Rule(
              OF_CLAIMS,
              LOOKS,
              FINDS_NOTHING,
              "until the COMMIT it is claimed, and they look for what is available or scheduled"),
          new Rule(GIVES_BACK, BY_ID, FOLLOWS, "the message is nobody's then, and may be changed"),
          new Rule(
              all(DELETES, SETS_ASIDE, List.of(START, CLAIM)),
              BY_ID,
              WAITS,
              "the message is in flight, a dead letter, or gone, and the refusal says which"),
          new Rule(SETS_ASIDE, OF_DEAD_LETTERS, FOLLOWS, "its new row is locked until the COMMIT"),
          new Rule(
              all(DELETES, GIVES_BACK, List.of(START), OF_THE_UNCLAIMED),
              OF_DEAD_LETTERS,
              FINDS_NOTHING,
              "a message in the queue is no dead letter"),

          // Nobody holds a claim any more.
          new Rule(
              OF_THE_UNCLAIMED,
              FENCED,
              WAITS,
              "the claim was over before; only the claim number tells it from a claim that the same"
                  + " worker is just making"),
          new Rule(
              all(OF_THE_UNCLAIMED, OF_DEAD_LETTERS),
              all(List.of(RECONCILE), REAPS),
              FINDS_NOTHING,
              "their first look takes no lock, and sees no claim"),
          new Rule(
              all(List.of(CLAIM), BY_ID),
              List.of(CLAIM),
              SKIPS,
              "a claim waits for nobody: there are other messages"),
          new Rule(
              all(List.of(PROMOTE), BY_ID),
              List.of(PROMOTE),
              SKIPS,
              "what somebody else is promoting or changing need not be promoted"),
          new Rule(
              List.of(PROMOTE),
              List.of(CLAIM),
              FINDS_NOTHING,
              "until the COMMIT it is scheduled, and the next look finds it"),
          new Rule(List.of(CLAIM), List.of(PROMOTE), FINDS_NOTHING, "it is not scheduled"),
          new Rule(
              List.of(PROMOTE, RESCHEDULE, PRIORITIZE),
              BY_ID,
              FOLLOWS,
              "the message is still nobody's, and the last change counts"),
          new Rule(CANCELS, BY_ID, WAITS, "the message is gone, and the refusal says so"),

          // Somebody wants it cancelled.
          new Rule(
              all(DELETES, SETS_ASIDE, CANCELS, ASKS),
              ASKS,
              WAITS,
              "the message is a dead letter, or gone, and the refusal says which"),
          new Rule(
              all(GIVES_BACK, LOOKS, List.of(START, RESCHEDULE, PRIORITIZE, REDRIVE)),
              ASKS,
              FOLLOWS,
              "what nobody holds then is gone, and a wish is left for what somebody holds"),
          new Rule(List.of(DISCARD), ASKS, FINDS_NOTHING, "a dead letter has no row in the queue"),
          new Rule(
              all(OF_WORKERS, List.of(TAKE_SLOTS), FREES_SLOTS),
              ASKS,
              PASSES,
              "a wish is for a message, whatever becomes of its worker"),
          new Rule(
              ASKS,
              List.of(CANCEL_CLAIMED),
              FOLLOWS,
              "the message is its holder's to delete, and then it waits for the wish, to delete it,"
                  + " too"),
          new Rule(
              ASKS,
              all(ENDS_A_CLAIM, List.of(START)).stream()
                  .filter(contender -> contender != CANCEL_CLAIMED)
                  .toList(),
              PASSES,
              "a wish beside a claim takes nothing from whoever holds it"),
          new Rule(ASKS, LOOKS, SKIPS, "the message is being deleted, and they wait for nobody"),
          new Rule(ASKS, BY_ID, WAITS, "nobody had it, so it is gone"),
          new Rule(
              ASKS, OF_DEAD_LETTERS, FINDS_NOTHING, "a message in the queue is no dead letter"),
          new Rule(
              ASKS,
              all(OF_WORKERS, List.of(TAKE_SLOTS), FREES_SLOTS),
              PASSES,
              "a wish is for a message, and for no worker"),

          // It is a dead letter.
          new Rule(
              List.of(REDRIVE),
              FENCED,
              WAITS,
              "the message's new row is locked until the COMMIT, and carries no lock_id"),
          new Rule(
              List.of(REDRIVE),
              List.of(CANCEL, RESCHEDULE, PRIORITIZE),
              FOLLOWS,
              "it is in the queue again, and nobody's"),
          new Rule(
              List.of(REDRIVE),
              List.of(APPLY_CANCEL),
              WAITS,
              "whoever redrives wants it to run, and has withdrawn the wish"),
          new Rule(
              OF_DEAD_LETTERS,
              LOOKS,
              FINDS_NOTHING,
              "until the COMMIT there is no such message in the queue"),
          new Rule(
              List.of(DISCARD),
              all(FENCED, BY_ID),
              FINDS_NOTHING,
              "a dead letter has no row in the queue that they could wait for"),
          new Rule(
              OF_DEAD_LETTERS,
              OF_DEAD_LETTERS,
              WAITS,
              "the dead letter is gone, and somebody else took it"),

          // It is the worker's row.
          new Rule(
              all(FENCED, List.of(RECONCILE), OF_THE_UNCLAIMED, OF_DEAD_LETTERS),
              OF_WORKERS,
              PASSES,
              "a worker lives or dies whatever becomes of its messages"),
          new Rule(
              REAPS,
              OF_WORKERS,
              FINDS_NOTHING,
              "the worker was declared dead, and that was committed, before anybody reaps"),
          new Rule(
              OF_WORKERS,
              OF_MESSAGES,
              PASSES,
              "the fence asks for the claim and not for the worker's life: until it is reaped, a"
                  + " claim is its worker's"),
          new Rule(
              OF_WORKERS,
              REAPS,
              FINDS_NOTHING,
              "the worker lives until a COMMIT says that it is dead"),
          new Rule(List.of(RENEW), List.of(RENEW), FOLLOWS, "a lease may be renewed at any time"),
          new Rule(
              OF_WORKERS,
              List.of(DECLARE_DEAD),
              SKIPS,
              "whoever holds the row renews it, or declares the worker dead already; the next look"
                  + " finds what it left"),
          new Rule(
              List.of(DECLARE_DEAD),
              List.of(RENEW),
              WAITS,
              "the worker is dead, and its renewal tells it so"),

          // It is a slot.
          new Rule(
              OF_THE_CLAIMED,
              FREES_SLOTS,
              PASSES,
              "a slot belongs to its worker, whatever becomes of the messages"),
          new Rule(
              FREES_SLOTS,
              OF_THE_CLAIMED,
              PASSES,
              "settling and reaping ask for the claim and not for the slot"),
          new Rule(
              all(OF_THE_UNHELD, OF_WORKERS),
              List.of(TAKE_SLOTS),
              PASSES,
              "whoever has work may take what is free"),
          new Rule(
              List.of(TAKE_SLOTS),
              all(OF_THE_UNHELD, OF_WORKERS),
              PASSES,
              "a slot says how many may run, and nothing of a message or of a worker's life"),
          new Rule(
              OF_THE_CLAIMED,
              List.of(TAKE_SLOTS),
              FINDS_NOTHING,
              "the slot is held by the claim's worker, and no settlement gives it back"),
          new Rule(
              List.of(TAKE_SLOTS),
              OF_THE_CLAIMED,
              FINDS_NOTHING,
              "the slot is free, so there is no claim any more"),
          new Rule(OF_THE_UNHELD, FREES_SLOTS, FINDS_NOTHING, "the slot is free already"),
          new Rule(
              FREES_SLOTS,
              OF_THE_UNHELD,
              FINDS_NOTHING,
              "the message is claimed, and no dead letter"),
          new Rule(
              OF_WORKERS,
              List.of(RELEASE_SLOTS),
              PASSES,
              "a worker gives back what it holds for as long as nobody has freed it"),
          new Rule(
              List.of(RELEASE_SLOTS),
              OF_WORKERS,
              PASSES,
              "a worker lives or dies whatever slots it holds"),
          new Rule(
              OF_WORKERS,
              List.of(FREE_SLOTS),
              FINDS_NOTHING,
              "the worker lives until a COMMIT says that it is dead"),
          new Rule(
              List.of(FREE_SLOTS),
              OF_WORKERS,
              FINDS_NOTHING,
              "the worker was declared dead, and that was committed, before anybody frees its"
                  + " slots"),
          new Rule(
              List.of(TAKE_SLOTS),
              List.of(TAKE_SLOTS),
              SKIPS,
              "somebody else is taking it; another is as good"),
          new Rule(
              List.of(TAKE_SLOTS),
              List.of(RELEASE_SLOTS),
              WAITS,
              "the slot is somebody else's by then, and only its holder gives it back"),
          new Rule(
              List.of(TAKE_SLOTS),
              List.of(FREE_SLOTS),
              FINDS_NOTHING,
              "its first look takes no lock, and sees a free slot"),
          new Rule(
              FREES_SLOTS, List.of(TAKE_SLOTS), FINDS_NOTHING, "until the COMMIT the slot is held"),
          new Rule(
              FREES_SLOTS,
              FREES_SLOTS,
              WAITS,
              "the slot is free, and carries no lock_id any more"));

  Rule {
    winners = List.copyOf(winners);
    losers = List.copyOf(losers);
  }

  boolean isAbout(Contender winner, Contender loser) {
    return winners.contains(winner) && losers.contains(loser);
  }

  @SafeVarargs
  private static List<Contender> all(List<Contender>... groups) {
    List<Contender> all = new ArrayList<>();
    for (List<Contender> group : groups) {
      all.addAll(group);
    }
    return List.copyOf(all);
  }
}
