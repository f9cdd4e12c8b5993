package io.rowqueue.internal.handle;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.settle.Settler;
import java.util.function.Supplier;

/** Handles one message in its own transaction, or without one. Thread-safe. */
final class AloneHandling {

  private final HandlerInvoker calls;
  private final Transactions transactions;
  private final Settler settler;

  AloneHandling(HandlerInvoker calls, Transactions transactions, Settler settler) {
    this.calls = calls;
    this.transactions = transactions;
    this.settler = settler;
  }

  /** Handles and settles {@code claim}; false if {@code watch} settles it. */
  boolean handle(Claim claim, BoundHandler handler, HandlingListener watch) {
    Handling handling = new Handling(claim, handler.policy());
    LogContext.enter(claim);
    Outcome outcome;
    try {
      outcome = HandlerInvoker.settled(claim, () -> run(claim, handler, handling, watch));
    } finally {
      LogContext.leave();
      handling.end();
      watch.ended(handling);
    }
    if (handler.isAdaptive()) {
      learn(handler.commits(), handling, outcome);
    }
    if (outcome != Outcome.ABANDONED) {
      watch.settled(handling.handled(claim), outcome);
    }
    return outcome != Outcome.ABANDONED;
  }

  private static void learn(CommitPolicy commits, Handling handling, Outcome outcome) {
    if (handling.sentMoreThanRows()) {
      commits.sentMoreThanRows();
    }
    if (outcome == Outcome.ACKED) {
      commits.ackedAlone(handling.handlerNanos(), handling.sinceHandlerNanos());
    } else {
      commits.failedAlone();
    }
  }

  private Outcome run(
      Claim claim, BoundHandler handler, Handling handling, HandlingListener watch) {
    HandlerInvoker.Prepared prepared = calls.prepare(claim, handler, handling);
    Invocation call = prepared.call();
    if (call == null) {
      return prepared.ended();
    }
    watch.begun(handling);
    try {
      Outcome outcome = call(call);
      calls.acked(claim);
      return outcome;
    } catch (ClaimLostException e) {
      throw e;
    } catch (CommitOutcomeUnknownException e) {
      return uncounted(call, e, () -> calls.releaseRefused(claim, e));
    } catch (WorkFailure e) {
      return calls.fail(claim, handling, handler.policy(), e.thrown());
    } catch (RuntimeException e) {
      if (TransientFailures.isUnavailable(e)) {
        return uncounted(call, e, () -> calls.releaseUnhandled(claim, e));
      }
      return HandlerInvoker.isOwn(e)
          ? uncounted(call, e, () -> calls.releaseRefused(claim, e))
          : calls.fail(claim, handling, handler.policy(), e);
    }
  }

  private Outcome uncounted(Invocation call, RuntimeException failure, Supplier<Outcome> release) {
    Handling handling = call.handling();
    if (handling.timedOut()) {
      return calls.fail(call.claim(), handling, call.handler().policy(), failure);
    }
    return handling.beginFailure() ? release.get() : Outcome.ABANDONED;
  }

  private Outcome call(Invocation call) {
    if (call.handler().policy().transactional()) {
      transactions.run(Transition.ACK, tx -> inTransaction(call, tx));
      return Outcome.ACKED;
    }
    HandlerContext context = calls.contextWithoutTransaction(call);
    call.handling().start();
    calls.handle(call, context);
    call.handling().beginAck();
    return Outcome.HANDLED;
  }

  private boolean inTransaction(Invocation call, Transaction tx) throws Exception {
    HandlerTransaction guard = new HandlerTransaction(tx, call.handling());
    call.handling().transactionStarted(tx.connection());
    HandlerContext context = calls.context(call, guard);
    guard.run(() -> calls.handle(call, context));
    call.handling().beginAck();
    guard.verify();
    settler.ack(tx, call.handled());
    return true;
  }
}
