package io.rowqueue.internal.handle;

import io.rowqueue.QueueException;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.LeftTransactionException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.settle.Settler;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One group of handlings that share a COMMIT, while it runs. Confined to its thread. */
final class SharedCommit implements SharedTransaction {

  private static final Logger LOG = LoggerFactory.getLogger(SharedCommit.class);

  private final HandlerInvoker calls;
  private final Settler settler;
  private final BoundHandler handler;
  private final HandlingListener watch;
  private final boolean careful;
  private final List<Claim> handled = new ArrayList<>();
  private final List<HandlerInvoker.Failure> failed = new ArrayList<>();
  private @Nullable SavepointMark first;
  private @Nullable Claim current;
  private boolean wantsCare;
  private boolean refused;

  /** Whether one of those that were handled has sent anything. */
  private boolean haveSent;

  private boolean abandoned;

  /**
   * Without a connection nothing of it begins, and the first claim is there all the same.
   *
   * @param careful whether each handling has a savepoint of its own and its message's deletion
   *     right behind it, so that whatever it does costs its neighbours nothing
   */
  SharedCommit(
      HandlerInvoker calls,
      Settler settler,
      BoundHandler handler,
      HandlingListener watch,
      Claim first,
      boolean careful) {
    this.calls = calls;
    this.settler = settler;
    this.handler = handler;
    this.watch = watch;
    this.current = first;
    this.careful = careful;
  }

  /** Handles {@code next} and what {@code more} gives, and acks them all. */
  void run(Transaction tx, Claim next, Supplier<@Nullable Claim> more)
      throws SQLException, DoomedException {
    long start = System.nanoTime();
    Grouping grouping = handler.policy().grouping();
    int taken = 0;
    Claim claim = next;
    while (claim != null) {
      handle(claim, tx);
      taken++;
      boolean full =
          taken == grouping.most() || System.nanoTime() - start >= grouping.longest().toNanos();
      claim = full || endsHere(claim) ? null : more.get();
    }
    if (!careful && !handled.isEmpty()) {
      settler.ackAll(tx, handled);
      verify(tx);
    }
  }

  /**
   * One that needs care ends a group that has none. A careful one has counted a member's leaf
   * behind its handler, and other handlers shall not wait for that.
   */
  private boolean endsHere(Claim last) {
    return careful ? last.batchId() != null : wantsCare;
  }

  /**
   * What no watch over statements has noticed: a driver that hides what a cluster undid, or a
   * statement that commits and that nobody here knows.
   */
  private void verify(Transaction tx) throws SQLException {
    if (first != null && !first.release()) {
      wantsCare = true;
      LOG.error(
          "one of these ended the transaction that they share, in a way that was not seen; what"
              + " they wrote may be committed, and happens again: {}",
          handled);
      tx.connection().abort(Runnable::run);
      throw new QueueException("their transaction is no longer the one in which they began");
    }
  }

  private void handle(Claim claim, Transaction tx) throws SQLException, DoomedException {
    current = claim;
    refused = false;
    List<Claim> companions = new ArrayList<>(handled);
    failed.forEach(failure -> companions.add(failure.claim()));
    Handling handling = new Handling(List.of(claim), companions, handler.policy());
    LogContext.enter(claim);
    try {
      Invocation call = calls.prepare(claim, handler, handling, watch);
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

  private void handle(Invocation call, Transaction tx) throws SQLException, DoomedException {
    HandlerTransaction guard = new HandlerTransaction(tx, call.handling(), this);
    HandlerContext context = calls.context(call, guard);
    try {
      call.handling().transactionStarted(tx.connection());
      guard.run(() -> calls.handle(call, context));
      checkNotRefused(call);
      call.handling().beginAck();
      if (careful) {
        settler.ack(tx, call.handled());
        guard.verify();
      }
      handled.add(call.handled());
      haveSent |= guard.hasBegun();
    } catch (ClaimLostException e) {
      LOG.warn("{}", e.getMessage());
      guard.undo();
      watch.settled(call.claim(), Outcome.LOST);
    } catch (WorkFailure e) {
      failed(call, e.thrown(), guard);
    } catch (HandlerTimeoutException | LeftTransactionException e) {
      failed(call, e, guard);
    } catch (SQLException | DoomedException e) {
      checkMine(call);
      throw e;
    }
  }

  private void failed(Invocation call, Throwable thrown, HandlerTransaction guard)
      throws SQLException {
    wantsCare = true;
    checkNotRefused(call);
    current = null;
    HandlerInvoker.Failure failure = calls.failure(call.claim(), call.handling(), thrown);
    if (failure == null) {
      throw abandoned();
    }
    failed.add(failure);
    if (!guard.undo()) {
      throw new QueueException("%s failed, and could not be undone alone".formatted(call.claim()));
    }
  }

  /** Whatever became of the refusal in the handler: its message is handled again, alone. */
  private void checkNotRefused(Invocation call) {
    if (refused) {
      checkMine(call);
      throw new QueueException(
          "%s sends more than reads and writes of rows".formatted(call.claim()));
    }
  }

  /** The watch may have taken a handling over before its thread came back. */
  private void checkMine(Invocation call) {
    if (!call.handling().beginFailure()) {
      throw abandoned();
    }
  }

  private HandlerTimeoutException abandoned() {
    abandoned = true;
    current = null;
    return new HandlerTimeoutException(handler.policy().timeout());
  }

  @Override
  public @Nullable SavepointMark begin(StatementMonitor statements) throws SQLException {
    if (careful) {
      return statements.mark();
    }
    if (first == null) {
      first = statements.mark();
    }
    return haveSent ? null : first;
  }

  @Override
  public void afterStatements() throws SQLException {
    wantsCare = true;
    if (!careful && haveSent) {
      refused = true;
      throw new SQLException(
          "what may commit, or names savepoints, is not sent while the effects of other messages"
              + " wait for their deletion; the message is handled again, alone");
    }
  }

  /** Those whose effects the COMMIT has made last. */
  List<Claim> handled() {
    return handled;
  }

  /** Whether the groups behind it should be careful. */
  boolean wantsCare() {
    return wantsCare;
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
    for (HandlerInvoker.Failure failure : failed) {
      LogContext.enter(failure.claim());
      try {
        watch.settled(
            failure.claim(),
            HandlerInvoker.settled(failure.claim(), () -> calls.settle(failure, handler.policy())));
      } finally {
        LogContext.leave();
      }
    }
    return true;
  }
}
