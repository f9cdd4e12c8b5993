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
  private @Nullable SavepointMark first;
  private @Nullable Claim current;
  private boolean wantsCare;
  private boolean refused;

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
      throws SQLException, DoomedException {
    long start = System.nanoTime();
    int taken = 0;
    Claim claim = next;
    while (claim != null) {
      handle(claim, tx);
      taken++;
      claim = isFull(taken, System.nanoTime() - start) || endsHere(claim) ? null : more.get();
    }
    handledNanos = System.nanoTime();
    if (!careful && !handled.isEmpty()) {
      settler.ackAll(tx, handled);
      verify(tx);
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
   * A group without savepoints ends when a handling needs one. A careful group ends after a batch
   * member, because it has locked the counter of a shard, and the following handlers must not
   * prolong that.
   */
  private boolean endsHere(Claim last) {
    return careful ? last.batchId() != null : wantsCare;
  }

  /**
   * Catches what the statement monitor cannot see: a driver that hides a rollback by the cluster,
   * or an unknown statement that commits.
   */
  private void verify(Transaction tx) throws SQLException {
    if (first != null && !first.release()) {
      wantsCare = true;
      LOG.error(
          "one of these messages' handlers ended the shared transaction undetected; what"
              + " they wrote may be committed, and will be written again: {}",
          handled);
      tx.connection().abort(Runnable::run);
      throw new QueueException("the shared transaction was ended by one of its handlers");
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

  /** Even if the handler caught the refusal, its message is handled again, individually. */
  private void checkNotRefused(Invocation call) {
    if (refused) {
      checkMine(call);
      throw new QueueException(
          "%s sends more than reads and writes of rows".formatted(call.claim()));
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
          "a statement that may commit, or names a savepoint, is refused while other messages of"
              + " the shared commit are uncommitted; the message is handled again, individually");
    }
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
