package io.rowqueue.proof.operation;

import static io.rowqueue.worker.grant.Role.AWAIT;
import static io.rowqueue.worker.grant.Role.BATCH;
import static io.rowqueue.worker.grant.Role.OPERATOR;
import static io.rowqueue.worker.grant.Role.PRODUCER;
import static io.rowqueue.worker.grant.Role.PUBLISH;
import static io.rowqueue.worker.grant.Role.SCHEDULE;
import static io.rowqueue.worker.grant.Role.SUBSCRIBE;
import static io.rowqueue.worker.grant.Role.WORKER;

import io.rowqueue.database.Transition;
import io.rowqueue.worker.grant.Role;
import java.util.Set;

/**
 * A transition as its callers bring it about.
 *
 * @param transition what happens
 * @param variant in which way; empty if there is one only
 * @param grants the roles whose accounts run it; each has what it needs, or has it on top of others
 * @param onPage whether {@code docs/protocol.md} shows its statements
 * @param setup what the tables hold before it
 */
public record Operation(
    Transition transition, String variant, Set<Role> grants, boolean onPage, Setup setup) {

  static Operation of(Transition transition, Setup setup) {
    return of(transition, "", setup);
  }

  static Operation of(Transition transition, String variant, Setup setup) {
    return new Operation(transition, variant, roles(transition), true, setup);
  }

  /** One whose statements the page shows in another variant already. */
  static Operation more(Transition transition, String variant, Setup setup) {
    return new Operation(transition, variant, roles(transition), false, setup);
  }

  /** The same, run by accounts of {@code roles}. */
  Operation by(Role... roles) {
    return new Operation(transition, variant, Set.of(roles), onPage, setup);
  }

  /** The roles whose accounts run {@code transition}, unless a variant says otherwise. */
  private static Set<Role> roles(Transition transition) {
    return switch (transition) {
      case ENQUEUE -> Set.of(PRODUCER, WORKER);
      case PUBLISH -> Set.of(PUBLISH, WORKER);
      case BATCH_ADD, CHAIN_BEGIN -> Set.of(BATCH);
      case REGISTER_WAITER -> Set.of(AWAIT);
      case SCHEDULE_SET, SCHEDULE_PAUSE, SCHEDULE_RESUME, SCHEDULE_REMOVE ->
          Set.of(SCHEDULE, OPERATOR);
      case SUBSCRIBE, UNSUBSCRIBE, MUTE, UNMUTE -> Set.of(SUBSCRIBE, OPERATOR);
      case REDRIVE,
          DISCARD,
          CANCEL,
          RESCHEDULE,
          PRIORITIZE,
          PAUSE,
          RESUME,
          KEEP,
          LIMIT,
          ORDER,
          DRAIN,
          SCHEDULE_RUN,
          BATCH_SEAL,
          BATCH_CANCEL,
          BATCH_RECOUNT,
          CHAIN_CANCEL,
          ASK_CANCEL ->
          Set.of(OPERATOR);
      default -> Set.of(WORKER);
    };
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? transition.label() : transition.label() + ", " + variant;
  }
}
