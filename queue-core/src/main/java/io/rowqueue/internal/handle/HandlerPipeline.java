package io.rowqueue.internal.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.MessageLimits;
import io.rowqueue.MessageProducer;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConnections;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.handler.HandlerTimeoutException;
import io.rowqueue.handler.Outcome;
import io.rowqueue.handler.TransactionEndedException;
import io.rowqueue.handler.UnreadableSettings;
import io.rowqueue.internal.body.Bodies;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimStore;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.depth.HandlingThread;
import io.rowqueue.internal.schema.QueueSchema;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.internal.wrap.Unwrapping;
import io.rowqueue.spi.PayloadCodec;
import io.rowqueue.spi.Wrapping;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs claims through their handlers and settles them, on the calling thread: a single message, or
 * several of a topic together if the binding says so. Thread-safe; one instance serves all handler
 * threads of a worker.
 */
@Singleton
public final class HandlerPipeline {

  private final HandlerRegistry registry;

  /** Statements that bypass the connection cannot be undone for one message of a group. */
  private final boolean eachCommits;

  private final FailureSettlement failures;
  private final HandlerInvoker calls;
  private final AloneHandling alone;
  private final SharedCommitHandling sharedCommit;
  private final BatchHandling batch;

  @Inject
  HandlerPipeline(
      @HandlerConnections Transactions transactions,
      ClaimStore claims,
      Settler settler,
      HandlerRegistry registry,
      Set<HandlerInterceptor> interceptors,
      PayloadCodec codec,
      MessageLimits limits,
      QueueSchema schema,
      Unwrapping unwrapping,
      UnreadableSettings unreadable,
      Set<Wrapping> wrappings,
      Bodies bodies) {
    this.registry = registry;
    this.eachCommits = transactions.areManaged();
    if (eachCommits) {
      registry.checkNoSharedCommits();
    }
    this.failures = new FailureSettlement(settler);
    this.calls =
        new HandlerInvoker(
            claims,
            failures,
            List.copyOf(interceptors),
            limits,
            schema,
            unwrapping,
            Releases.ofUnreadable(unreadable),
            new ResultEncoding(Wrapping.all(wrappings)),
            MessageProducer.create(codec, limits).wrapping(Wrapping.all(wrappings)),
            bodies);
    this.alone = new AloneHandling(calls, transactions, settler);
    this.sharedCommit = new SharedCommitHandling(calls, transactions, settler, alone);
    this.batch = new BatchHandling(calls, transactions, settler);
  }

  /**
   * Handles {@code first} and, if its binding groups messages, those that {@code more} returns:
   * claims of the same topic that have neither failed nor been lost before, and null when there is
   * none. Never throws: {@code watch} is notified of each claim's outcome, and anything that
   * operators need to know is logged.
   *
   * @return false if the watcher has taken over because a handler did not end; the worker then no
   *     longer uses the calling thread
   */
  public boolean handle(Claim first, Supplier<@Nullable Claim> more, HandlingListener watch) {
    BoundHandler handler = registry.find(first.topic());
    if (handler == null) {
      watch.settled(
          first,
          HandlerInvoker.settled(first, () -> failures.release(first, Duration.ofSeconds(1))));
      return true;
    }
    Supplier<@Nullable Claim> group = mayShare(first) ? more : () -> null;
    HandlingThread.enter();
    try {
      return switch (handler.policy().grouping().kind()) {
        case ALONE -> alone.handle(first, handler, watch);
        case ADAPTIVE -> handleAdaptively(first, handler, more, watch);
        case SHARED_COMMIT -> sharedCommit.handle(first, handler, group, watch);
        case BATCH -> batch.handle(first, handler, group, watch);
      };
    } finally {
      HandlingThread.leave();
    }
  }

  private boolean handleAdaptively(
      Claim first, BoundHandler handler, Supplier<@Nullable Claim> more, HandlingListener watch) {
    GroupLimit limit = handler.groupLimit();
    limit.begin(first, System.nanoTime());
    try {
      boolean shares = !eachCommits && mayShare(first) && handler.commits().shares();
      return shares
          ? sharedCommit.handle(first, handler, more, watch)
          : alone.handle(first, handler, watch);
    } finally {
      limit.end(first);
    }
  }

  /**
   * Returns how many threads {@code topic} and its aliases may use at the moment, without regard to
   * its binding's own limit.
   */
  public int threadLimit(Topic topic) {
    BoundHandler handler = registry.find(topic);
    if (eachCommits || handler == null || !handler.isAdaptive()) {
      return Integer.MAX_VALUE;
    }
    CommitPolicy commits = handler.commits();
    return commits.isShort() && commits.shares()
        ? handler.groupLimit().threads(System.nanoTime())
        : Integer.MAX_VALUE;
  }

  /**
   * Whether messages of {@code topic} share a thread only to save COMMITs, so that they should not
   * while another thread is idle.
   */
  public boolean prefersIdleThreads(Topic topic) {
    BoundHandler handler = registry.find(topic);
    return handler != null && handler.isAdaptive();
  }

  /**
   * Messages that have failed or been lost before are handled individually, so that others are not
   * affected twice.
   */
  public static boolean mayShare(Claim claim) {
    return claim.attempts() == 0 && !claim.suspect();
  }

  /**
   * Settles a handling that was taken away from its thread: the message that was being handled has
   * failed. The other messages of its group are released by the next reconciliation. {@code watch}
   * is notified of each outcome.
   */
  public void settleAbandoned(Handling handling, HandlingListener watch) {
    for (Claim claim : handling.claims()) {
      watch.settled(claim, settled(claim, () -> settleAbandoned(claim, handling)));
    }
  }

  private Outcome settleAbandoned(Claim claim, Handling handling) {
    HandlerPolicy policy = registry.policy(claim.topic());
    if (handling.endedTransaction()) {
      return failures.settle(claim, policy, new TransactionEndedException());
    }
    String cancelledBy = handling.cancelRequestedBy(claim);
    if (cancelledBy != null) {
      return failures.cancel(claim, cancelledBy);
    }
    return handling.stopping()
        ? failures.release(claim)
        : failures.settle(claim, policy, new HandlerTimeoutException(handling.timeout()));
  }

  /** Cancels a claim whose handler never started, as requested by {@code by}. Never throws. */
  public void cancelUnstarted(Claim claim, String by) {
    Outcome unused = settled(claim, () -> failures.cancel(claim, by));
  }

  /**
   * Settles a handling without a transaction whose handler has returned, but whose ack is refused
   * permanently. Never throws.
   */
  public void settleUnacked(Claim claim, Throwable refusal) {
    Outcome unused =
        settled(claim, () -> calls.settleUnacked(claim, registry.policy(claim.topic()), refusal));
  }

  private static Outcome settled(Claim claim, Supplier<Outcome> settlement) {
    LogContext.enter(claim);
    try {
      return HandlerInvoker.settled(claim, settlement);
    } finally {
      LogContext.leave();
    }
  }
}
