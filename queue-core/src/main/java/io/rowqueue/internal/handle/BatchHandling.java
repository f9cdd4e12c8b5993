package io.rowqueue.internal.handle;

import io.rowqueue.CommitOutcomeUnknownException;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.QueueException;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.database.RollbackRequiredException;
import io.rowqueue.internal.database.Transaction;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.database.WorkFailure;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.text.FailureText;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Handles many messages in one call of their handler and in one transaction. Thread-safe. */
final class BatchHandling {

  private static final Logger LOG = LoggerFactory.getLogger(BatchHandling.class);

  /**
   * A batch takes no further message once its unwrapped payloads have this many bytes: a few
   * kilobytes in the table may be megabytes in memory.
   */
  static final long MOST_BYTES = 16L << 20;

  private final HandlerInvoker calls;
  private final Transactions transactions;
  private final Settler settler;

  BatchHandling(HandlerInvoker calls, Transactions transactions, Settler settler) {
    this.calls = calls;
    this.transactions = transactions;
    this.settler = settler;
  }

  /**
   * Handles and settles a batch that starts with {@code first}; false if {@code watch} settles it.
   */
  boolean handle(
      Claim first, BoundHandler handler, Supplier<@Nullable Claim> more, HandlingListener watch) {
    Handling handling = new Handling(first, handler.policy());
    LogContext.enter(first);
    try {
      List<Invocation> batch = gather(handling, handler, more, watch);
      return batch.isEmpty() || run(batch, handling, watch);
    } finally {
      LogContext.leave();
    }
  }

  /**
   * Reads the payloads one by one, since a row's size says little about its unwrapped payload.
   * Messages that cannot be read are settled individually.
   */
  private List<Invocation> gather(
      Handling handling,
      BoundHandler handler,
      Supplier<@Nullable Claim> more,
      HandlingListener watch) {
    List<Invocation> batch = new ArrayList<>();
    List<Claim> settled = new ArrayList<>();
    int most = handler.policy().grouping().most();
    long bytes = 0;
    Claim claim = handling.claim();
    while (claim != null) {
      Invocation call = calls.prepare(claim, handler, handling, watch);
      if (call == null) {
        settled.add(claim);
      } else {
        batch.add(call);
        bytes += call.bytes();
      }
      boolean full = batch.size() + settled.size() == most || bytes >= MOST_BYTES;
      claim = full ? null : more.get();
      if (claim != null) {
        handling.addToBatch(claim);
      }
    }
    settled.forEach(handling::removeFromBatch);
    return batch;
  }

  private boolean run(List<Invocation> batch, Handling handling, HandlingListener watch) {
    watch.begun(handling);
    try {
      Outcome outcome = call(batch, handling);
      batch.forEach(call -> calls.acked(call.claim()));
      batch.forEach(call -> watch.settled(handling.handled(call.claim()), outcome));
      return true;
    } catch (QueueException e) {
      boolean timedOut = handling.timedOut();
      if (!handling.beginFailure()) {
        return false;
      }
      if (timedOut && !(e instanceof TransactionEndedException)) {
        return settleEach(batch, handling, timeout(handling, e), watch);
      }
      boolean mayBeOne = batch.size() > 1 && !handling.stopping() && isOfOne(e);
      return mayBeOne
          ? handleEachAlone(batch, handling, e, watch)
          : settleEach(batch, handling, e, watch);
    } finally {
      handling.end();
      watch.ended(handling);
    }
  }

  /** Whether a single message may have caused the failure, judging by its exception. */
  private static boolean isOfOne(QueueException failure) {
    boolean everyRunWasDoomed =
        failure instanceof DatabaseUnavailableException
            && (RollbackRequiredException.isIn(failure)
                || !TransientFailures.isUnavailable(failure));
    return failure instanceof WorkFailure || everyRunWasDoomed;
  }

  private static HandlerTimeoutException timeout(Handling handling, QueueException thrown) {
    HandlerTimeoutException timeout = new HandlerTimeoutException(handling.timeout());
    timeout.addSuppressed(thrown);
    return timeout;
  }

  /** Only the message that cannot be handled should fail. */
  private boolean handleEachAlone(
      List<Invocation> batch, Handling handling, QueueException failure, HandlingListener watch) {
    LOG.info(
        "a batch of {} failed and was rolled back; its messages are now handled one by one: {}",
        batch.size(),
        FailureText.of(failure));
    boolean mine = true;
    for (Invocation call : batch) {
      String cancelledBy = handling.cancelRequestedBy(call.claim());
      if (mine && cancelledBy != null) {
        Claim claim = call.claim();
        watch.settled(claim, HandlerInvoker.settled(claim, () -> calls.cancel(claim, cancelledBy)));
      } else if (mine) {
        mine = handle(call.claim(), call.handler(), () -> null, watch);
      } else {
        watch.settled(call.claim(), Outcome.GIVEN_UP);
      }
    }
    return mine;
  }

  private boolean settleEach(
      List<Invocation> batch, Handling handling, QueueException failure, HandlingListener watch) {
    for (Invocation call : batch) {
      Claim claim = call.claim();
      LogContext.enter(claim);
      watch.settled(claim, HandlerInvoker.settled(claim, () -> settle(call, handling, failure)));
    }
    return true;
  }

  private Outcome settle(Invocation call, Handling handling, QueueException failure) {
    if (failure instanceof TransactionEndedException) {
      return calls.settle(call.claim(), call.handler().policy(), failure);
    }
    if (failure instanceof CommitOutcomeUnknownException) {
      return calls.releaseRefused(call.claim(), failure);
    }
    if (failure instanceof ClaimLostException || handling.stopping()) {
      return calls.release(call.claim());
    }
    if (TransientFailures.isUnavailable(failure)) {
      return calls.releaseUnhandled(call.claim(), failure);
    }
    String cancelledBy = handling.cancelRequestedBy(call.claim());
    if (cancelledBy != null) {
      return calls.cancel(call.claim(), cancelledBy);
    }
    if (HandlerInvoker.isOwn(failure)) {
      return calls.releaseRefused(call.claim(), failure);
    }
    Throwable thrown = failure instanceof WorkFailure work ? work.thrown() : failure;
    return calls.settle(call.claim(), call.handler().policy(), thrown);
  }

  private Outcome call(List<Invocation> batch, Handling handling) {
    Invocation first = batch.get(0);
    if (first.handler().policy().transactional()) {
      transactions.run(Transition.ACK, tx -> inTransaction(batch, handling, tx));
      return Outcome.ACKED;
    }
    handling.start();
    OpenPayloads payloads = new OpenPayloads();
    List<Delivery<Object>> deliveries =
        batch.stream()
            .map(call -> new Delivery<>(payloads.open(call), calls.contextWithoutTransaction(call)))
            .toList();
    payloads.during(
        () ->
            calls.invoke(deliveries, handling.timeout(), () -> first.handler().handle(deliveries)));
    handling.beginAck();
    return Outcome.HANDLED;
  }

  private boolean inTransaction(List<Invocation> batch, Handling handling, Transaction tx)
      throws Exception {
    Invocation first = batch.get(0);
    HandlerTransaction guard = new HandlerTransaction(tx, handling);
    handling.transactionStarted(tx.connection());
    OpenPayloads payloads = new OpenPayloads();
    List<Delivery<Object>> deliveries =
        batch.stream()
            .map(call -> new Delivery<>(payloads.open(call), calls.context(call, guard)))
            .toList();
    guard.run(
        () ->
            payloads.during(
                () ->
                    calls.invoke(
                        deliveries, handling.timeout(), () -> first.handler().handle(deliveries))));
    handling.beginAck();
    guard.verify();
    settler.ackAll(tx, batch.stream().map(Invocation::handled).toList());
    return true;
  }
}
