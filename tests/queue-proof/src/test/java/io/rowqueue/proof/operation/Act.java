package io.rowqueue.proof.operation;

import io.rowqueue.claim.Claim;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.settle.Settler;
import io.rowqueue.tests.statement.Core;

/** What is done; it may be done again. */
@FunctionalInterface
public interface Act {

  /** The answer. */
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
