package io.rowqueue.proof.operation;

import static io.rowqueue.worker.Role.CONFIGURATOR;
import static io.rowqueue.worker.Role.OPERATOR;
import static io.rowqueue.worker.Role.PRODUCER;
import static io.rowqueue.worker.Role.RESULT_READER;
import static io.rowqueue.worker.Role.WORKER;

import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.tests.statement.Core;
import io.rowqueue.worker.Role;
import java.util.Set;

/** A transition as its callers bring it about. */
public record Operation(Transition transition, String variant, Set<Role> grants, Setup setup) {

  static Operation of(Transition transition, Setup setup) {
    return of(transition, "", setup);
  }

  static Operation of(Transition transition, String variant, Setup setup) {
    return new Operation(transition, variant, roles(transition), setup);
  }

  /** The same, run by accounts of {@code roles}. */
  Operation by(Role... roles) {
    return new Operation(transition, variant, Set.of(roles), setup);
  }

  /** The roles whose accounts run {@code transition}, unless a variant says otherwise. */
  private static Set<Role> roles(Transition transition) {
    return switch (transition) {
      case ENQUEUE, PUBLISH -> Set.of(PRODUCER, WORKER);
      case BATCH_ADD, CHAIN_BEGIN -> Set.of(PRODUCER);
      case REGISTER_RESULT_LISTENER -> Set.of(RESULT_READER);
      case SCHEDULE_SET, SCHEDULE_PAUSE, SCHEDULE_RESUME, SCHEDULE_REMOVE ->
          Set.of(CONFIGURATOR, OPERATOR);
      case SUBSCRIBE, UNSUBSCRIBE, MUTE, UNMUTE -> Set.of(CONFIGURATOR, OPERATOR);
      case REDRIVE,
          DISCARD,
          CANCEL,
          RESCHEDULE,
          PRIORITIZE,
          PAUSE,
          RESUME,
          SET_RETENTION,
          LIMIT,
          SET_DEAD_LETTER_POLICY,
          DRAIN,
          SCHEDULE_RUN,
          BATCH_CLOSE,
          BATCH_CANCEL,
          BATCH_RECOUNT,
          CHAIN_CANCEL,
          REQUEST_CANCEL ->
          Set.of(OPERATOR);
      case AUDIT -> Set.of(CONFIGURATOR, OPERATOR);
      default -> Set.of(WORKER);
    };
  }

  @Override
  public String toString() {
    return variant.isEmpty() ? transition.label() : transition.label() + ", " + variant;
  }

  /** What the tables hold before an operation. */
  @FunctionalInterface
  public interface Setup {

    /** Fills the tables, and says what is to be done there, by parts of {@code core}. */
    Act arrange(Fixture fixture, Core core);
  }

  /** What is done; it may be done again. */
  @FunctionalInterface
  public interface Act {

    Object run();

    /** One that has no answer of its own. */
    static Act done(Runnable action) {
      return () -> {
        action.run();
        return "done";
      };
    }

    /** Acknowledges {@code claim} as the transaction of its handler does. */
    static Act ack(Core core, Claim claim) {
      return done(
          () ->
              core.get(Transactions.class)
                  .run(
                      Transition.ACK,
                      tx -> {
                        core.get(Settler.class).ack(tx, claim);
                        return claim;
                      }));
    }
  }

  /**
   * Ends what a process was doing, as SIGKILL does: nothing that the process would do about a
   * failure happens.
   */
  public static final class ProcessKilled extends Error {

    private static final long serialVersionUID = 1L;

    /** Of a process that is dead from now on. */
    public ProcessKilled() {
      super("the process is dead", null, false, false);
    }
  }
}
