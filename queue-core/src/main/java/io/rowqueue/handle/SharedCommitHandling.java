package io.rowqueue.handle;

import io.rowqueue.QueueException;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.database.CommitOutcomeUnknownException;
import io.rowqueue.database.Transaction;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.database.WorkFailure;
import io.rowqueue.settle.Settler;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/*
 * Several handlings, one after another on one connection, and one COMMIT for all.
 *
 * Each message is deleted right behind its own handler. One DELETE for the whole group at its end
 * would be faster still (measured: 10, 13.6 and 14.3 thousand a second against 8-9, 10 and 11-13 for
 * groups of 8, 32 and 100), but a handler that commits by SQL text would then commit its neighbours'
 * effects without their deletions.
 *
 * A handler that fails is undone to its savepoint, and settled after the COMMIT. Whatever undoes more
 * than one handling (a deadlock, a handler that ended the transaction, a lost connection) undoes the
 * whole group, and each of the others is handled again alone: where its first handling had been
 * committed after all, its claim is gone, and the second leaves no trace.
 */
/** Handlings that share one COMMIT. Thread-safe. */
final class SharedCommitHandling {

  private static final Logger LOG = LoggerFactory.getLogger(SharedCommitHandling.class);

  private final Calls calls;
  private final Transactions transactions;
  private final Settler settler;
  private final AloneHandling alone;

  SharedCommitHandling(
      Calls calls, Transactions transactions, Settler settler, AloneHandling alone) {
    this.calls = calls;
    this.transactions = transactions;
    this.settler = settler;
    this.alone = alone;
  }

  /** Handles and settles a group that begins with {@code first}; false if the watch took over. */
  boolean handle(
      Claim first, BoundHandler handler, Supplier<@Nullable Claim> more, HandlingWatch watch) {
    Group group = new Group(first, handler, watch);
    List<Claim> again = List.of();
    try {
      transactions.runOnce(
          Transition.ACK,
          tx -> {
            group.run(tx, first, more);
            return true;
          });
      group.handled.forEach(claim -> watch.settled(claim, Outcome.ACKED));
    } catch (CommitOutcomeUnknownException e) {
      for (Claim claim : group.handled) {
        watch.settled(claim, Calls.settled(claim, () -> calls.releaseAfterUnknownCommit(claim)));
      }
    } catch (QueueException e) {
      again = group.undone();
      LOG.info(
          "a group of {} was rolled back; each is handled alone: {}", again.size(), e.getMessage());
    }
    return group.end() && eachAlone(again, handler, watch);
  }

  private boolean eachAlone(List<Claim> claims, BoundHandler handler, HandlingWatch watch) {
    boolean mine = true;
    for (Claim claim : claims) {
      if (mine) {
        mine = alone.handle(claim, handler, watch);
      } else {
        watch.settled(claim, Outcome.GIVEN_UP);
      }
    }
    return mine;
  }

  /** One group, while it runs. Confined to its thread. */
  private final class Group {
    private final BoundHandler handler;
    private final HandlingWatch watch;
    private final List<Claim> handled = new ArrayList<>();
    private final List<Calls.Failure> failed = new ArrayList<>();
    private @Nullable Claim current;
    private boolean abandoned;

    /** Without a connection nothing of it begins, and the first claim is there all the same. */
    Group(Claim first, BoundHandler handler, HandlingWatch watch) {
      this.current = first;
      this.handler = handler;
      this.watch = watch;
    }

    void run(Transaction tx, Claim first, Supplier<@Nullable Claim> more) throws SQLException {
      long start = System.nanoTime();
      Grouping grouping = handler.policy().grouping();
      int taken = 0;
      Claim next = first;
      while (next != null) {
        handle(next, tx);
        taken++;
        boolean full =
            taken == grouping.most() || System.nanoTime() - start >= grouping.longest().toNanos();
        next = full ? null : more.get();
      }
    }

    private void handle(Claim claim, Transaction tx) throws SQLException {
      current = claim;
      List<Claim> companions = new ArrayList<>(handled);
      failed.forEach(failure -> companions.add(failure.claim()));
      Handling handling = new Handling(List.of(claim), companions, handler.policy());
      LogContext.enter(claim);
      try {
        Call call = prepare(claim, handling);
        if (call != null) {
          watch.begun(handling);
          handle(call, tx);
        }
      } finally {
        LogContext.leave();
        handling.end();
        watch.ended(handling);
      }
      current = null;
    }

    private @Nullable Call prepare(Claim claim, Handling handling) {
      List<Call> prepared = new ArrayList<>(1);
      Outcome outcome =
          Calls.settled(
              claim,
              () -> {
                Calls.Prepared ready = calls.prepare(claim, handler, handling);
                if (ready.call() != null) {
                  prepared.add(ready.call());
                }
                return ready.ended();
              });
      if (prepared.isEmpty()) {
        watch.settled(claim, outcome);
        return null;
      }
      return prepared.get(0);
    }

    private void handle(Call call, Transaction tx) throws SQLException {
      HandlerTransaction guard = new HandlerTransaction(tx, call.handling());
      HandlerContext context = calls.context(call, guard);
      try {
        call.handling().runsOn(tx.connection());
        guard.run(
            () ->
                calls.invoke(
                    context,
                    call.handling().timeout(),
                    () -> handler.handle(call.payload(), context)));
        call.handling().beginAck();
        settler.ack(tx, call.claim());
        guard.verify();
        handled.add(call.claim());
      } catch (ClaimLostException e) {
        LOG.warn("{}", e.getMessage());
        guard.undo();
        watch.settled(call.claim(), Outcome.LOST);
      } catch (WorkFailure e) {
        failed(call, e.thrown());
        guard.undo();
      } catch (HandlerTimeoutException | LeftTransactionException e) {
        failed(call, e);
        guard.undo();
      }
    }

    private void failed(Call call, Throwable thrown) {
      current = null;
      Calls.Failure failure = calls.failure(call.claim(), call.handling(), thrown);
      if (failure == null) {
        abandoned = true;
        throw new HandlerTimeoutException(handler.policy().timeout());
      }
      failed.add(failure);
    }

    /** Everything whose handling was rolled back through no fault of its own. */
    List<Claim> undone() {
      List<Claim> undone = new ArrayList<>(handled);
      Claim interrupted = current;
      if (interrupted != null) {
        undone.add(interrupted);
      }
      return undone;
    }

    /** Settles what has failed; false if the watch took over, and the rest with it. */
    boolean end() {
      if (abandoned) {
        return false;
      }
      for (Calls.Failure failure : failed) {
        LogContext.enter(failure.claim());
        try {
          watch.settled(
              failure.claim(),
              Calls.settled(failure.claim(), () -> calls.settle(failure, handler.policy())));
        } finally {
          LogContext.leave();
        }
      }
      return true;
    }
  }
}
