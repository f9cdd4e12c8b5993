package io.rowqueue.internal.handle;

import io.rowqueue.QueueException;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.RollbackRequiredException;
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

/** One group of messages that share a COMMIT, while it runs. Confined to its thread. */
final class SharedCommit implements SharedTransaction {

  private static final Logger LOG = LoggerFactory.getLogger(SharedCommit.class);

  private final HandlerInvoker calls;
  private final Settler settler;
  private final BoundHandler handler;
  private final HandlingListener watch;
  private final boolean careful;
  private final List<Claim> handled = new ArrayList<>();
  private final List<HandlerInvoker.Failure> failed = new ArrayList<>();
  private @Nullable SavepointMark mark;
  private @Nullable Claim current;
  private boolean wantsCare;

  /** How many of the handled messages have been deleted. */
  private int acked;

  /** Why the handled messages could not be deleted before a statement of the next one. */
  private @Nullable Exception earlyAckFailure;

  /** When the last handler returned: what follows is the cost that the group shares. */
  private long handledNanos;

  /** Whether one of the handled messages has sent a statement. */
  private boolean haveSent;

  private boolean abandoned;

  /**
   * If no connection is available, no message of the group is handled, so the first claim is passed
   * here already.
   *
   * @param careful whether each handling gets a savepoint of its own and its message is deleted
   *     right after it, so that its failure does not affect the others
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

  /** Handles {@code next} and the claims that {@code more} returns, and acks them all. */
  void run(Transaction tx, Claim next, Supplier<@Nullable Claim> more)
      throws SQLException, RollbackRequiredException {
    int taken = 0;
    long firstHandled = 0;
    Claim claim = next;
    while (claim != null) {
      handle(claim, tx);
      taken++;
      firstHandled = taken == 1 ? System.nanoTime() : firstHandled;
      boolean full = isFull(taken, System.nanoTime() - firstHandled);
      claim = full || endsHere(claim, tx) ? null : more.get();
    }
    handledNanos = System.nanoTime();
    if (!careful && !handled.isEmpty()) {
      ackHandled(tx);
    }
  }

  private boolean isFull(int taken, long nanos) {
    if (handler.isAdaptive()) {
      return !handler.commits().takesMore(taken, nanos);
    }
    Grouping grouping = handler.policy().grouping();
    return taken == grouping.most() || nanos >= grouping.longest().toNanos();
  }

  /**
   * Every group ends when a handler has changed the session, which the next one must not see. A
   * group without savepoints ends when a handling needs one. A careful group ends after a batch
   * member, because it has locked the counter of a shard, and the following handlers must not
   * prolong that.
   */
  private boolean endsHere(Claim last, Transaction tx) {
    return tx.isDiscarded() || (careful ? last.batchId() != null : wantsCare);
  }

  private void ackHandled(Transaction tx) throws SQLException {
    settler.ackAll(tx, handled.subList(acked, handled.size()));
    verify(tx);
    acked = handled.size();
  }

  /**
   * Catches what the statement monitor cannot see: a driver that hides a rollback by the cluster,
   * or an unknown statement that commits.
   */
  private void verify(Transaction tx) throws SQLException {
    if (mark != null && !mark.release()) {
      wantsCare = true;
      LOG.error(
          "one of these messages' handlers ended the shared transaction undetected; what"
              + " they wrote may be committed, and will be written again: {}",
          handled);
      tx.connection().abort(Runnable::run);
      throw new QueueException("the shared transaction was ended by one of its handlers");
    }
  }

  private void handle(Claim claim, Transaction tx) throws SQLException, RollbackRequiredException {
    current = claim;
    earlyAckFailure = null;
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
      learn(handling);
      watch.ended(handling);
    }
    current = null;
  }

  private void learn(Handling handling) {
    if (handling.sentMoreThanRows()) {
      handler.commits().sentMoreThanRows();
    }
    handler.commits().handledInGroup(handling.handlerNanos());
  }

  private void handle(Invocation call, Transaction tx)
      throws SQLException, RollbackRequiredException {
    HandlerTransaction guard = new HandlerTransaction(tx, call.handling(), this);
    HandlerContext context = calls.context(call, guard);
    try {
      call.handling().transactionStarted(tx.connection());
      guard.run(() -> calls.handle(call, context));
      checkAcked(call);
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
    } catch (HandlerTimeoutException | TransactionEndedException e) {
      failed(call, e, guard);
    } catch (SQLException | RollbackRequiredException e) {
      checkMine(call);
      throw e;
    }
  }

  private void failed(Invocation call, Throwable thrown, HandlerTransaction guard)
      throws SQLException {
    wantsCare = true;
    checkAcked(call);
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

  /** Even if the handler caught the exception, its message is handled again, individually. */
  private void checkAcked(Invocation call) {
    Exception failure = earlyAckFailure;
    if (failure != null) {
      checkMine(call);
      throw new QueueException(
          "the messages before %s could not be acked: %s"
              .formatted(call.claim(), failure.getMessage()),
          failure);
    }
  }

  /** The watcher may have taken over the handling before its thread returned. */
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
    if (mark == null) {
      mark = statements.mark();
    }
    return haveSent ? null : mark;
  }

  /** A statement that commits then commits the other messages' effects with their deletions. */
  @Override
  public void beforeMoreThanRows(StatementMonitor statements) throws SQLException {
    wantsCare = true;
    if (careful || acked == handled.size()) {
      return;
    }
    if (earlyAckFailure == null) {
      try {
        ackHandled(statements.transaction());
        mark = statements.mark();
        return;
      } catch (SQLException | RuntimeException e) {
        earlyAckFailure = e;
      }
    }
    throw new SQLException(
        "the messages that share this transaction could not be acked; this one is handled again,"
            + " individually",
        earlyAckFailure);
  }

  /** The time since the last handler returned. */
  long nanosSinceHandled() {
    return System.nanoTime() - handledNanos;
  }

  /** The messages whose effects the COMMIT has made durable. */
  List<Claim> handled() {
    return handled;
  }

  /** Whether the next groups of the topic should be careful. */
  boolean wantsCare() {
    return wantsCare;
  }

  /** The messages whose handling was rolled back because of another message. */
  List<Claim> undone() {
    List<Claim> undone = new ArrayList<>(handled);
    Claim interrupted = current;
    if (interrupted != null) {
      undone.add(interrupted);
    }
    return undone;
  }

  /** Settles the failed messages; false if the watcher has taken over the whole group. */
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
