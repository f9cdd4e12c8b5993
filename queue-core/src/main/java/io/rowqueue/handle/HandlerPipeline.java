package io.rowqueue.handle;

import com.google.inject.Inject;
import com.google.inject.Singleton;
import io.rowqueue.QueueException;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.database.CommitOutcomeUnknownException;
import io.rowqueue.database.HandlerConnections;
import io.rowqueue.database.Transaction;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.database.WorkFailure;
import io.rowqueue.deadletter.DeadLetterReason;
import io.rowqueue.message.Headers;
import io.rowqueue.message.InvalidMessageException;
import io.rowqueue.message.MessageLimits;
import io.rowqueue.message.PayloadException;
import io.rowqueue.schema.QueueSchema;
import io.rowqueue.settle.Settler;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jooq.Configuration;
import org.jooq.DSLContext;
import org.jooq.impl.DSL;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes one claim from its start through its handler to its settlement, on the calling thread.
 * Thread-safe; one serves all handler threads of a worker.
 */
@Singleton
public final class HandlerPipeline {

  private static final Logger LOG = LoggerFactory.getLogger(HandlerPipeline.class);

  private final Transactions transactions;
  private final ClaimStore claims;
  private final Settler settler;
  private final FailureSettlement failures;
  private final HandlerRegistry registry;
  private final List<HandlerInterceptor> interceptors;
  private final MessageLimits limits;
  private final QueueSchema schema;

  @Inject
  HandlerPipeline(
      @HandlerConnections Transactions transactions,
      ClaimStore claims,
      Settler settler,
      HandlerRegistry registry,
      Set<HandlerInterceptor> interceptors,
      MessageLimits limits,
      QueueSchema schema) {
    this.transactions = transactions;
    this.claims = claims;
    this.settler = settler;
    this.failures = new FailureSettlement(settler);
    this.registry = registry;
    this.interceptors = List.copyOf(interceptors);
    this.limits = limits;
    this.schema = schema;
  }

  /**
   * Handles {@code claim} and settles it. Never throws: whatever happens is an outcome, and what
   * people should know is logged.
   */
  public Outcome handle(Claim claim, HandlingWatch watch) {
    BoundHandler handler = registry.find(claim.topic());
    if (handler == null) {
      return settled(claim, () -> failures.release(claim, Duration.ofSeconds(1)));
    }
    Handling handling = new Handling(claim, handler.policy());
    LogContext.enter(claim);
    try {
      return settled(claim, () -> run(claim, handler, handling, watch));
    } finally {
      LogContext.leave();
      handling.end();
      watch.ended(handling);
    }
  }

  /**
   * Settles a handling that was taken away from its thread.
   *
   * @return how it ended
   */
  public Outcome settleAbandoned(Handling handling) {
    Claim claim = handling.claim();
    HandlerPolicy policy = registry.policy(claim.topic());
    LogContext.enter(claim);
    try {
      return settled(
          claim,
          () ->
              handling.stopping()
                  ? failures.giveBack(claim)
                  : failures.settle(claim, policy, new HandlerTimeoutException(policy.timeout())));
    } finally {
      LogContext.leave();
    }
  }

  private static Outcome settled(Claim claim, Settlement settlement) {
    try {
      return settlement.settle();
    } catch (ClaimLostException e) {
      LOG.warn("{}", e.getMessage());
      return Outcome.LOST;
    } catch (QueueException e) {
      LOG.error(
          "{} could not be settled; it is released at the next reconciliation: {}",
          claim,
          e.getMessage());
      return Outcome.GIVEN_UP;
    }
  }

  private Outcome run(Claim claim, BoundHandler handler, Handling handling, HandlingWatch watch) {
    if (claim.suspect()) {
      claims.start(claim);
    }
    Call call;
    try {
      failures.checkSize(claim, limits);
      call = read(claims.load(claim), handler, handling);
    } catch (InvalidMessageException e) {
      return failures.deadLetter(claim, DeadLetterReason.TOO_LARGE, e);
    } catch (PayloadException e) {
      return failures.deadLetter(claim, DeadLetterReason.UNDECODABLE, e);
    }
    watch.begun(handling);
    try {
      call(call);
      return Outcome.ACKED;
    } catch (ClaimLostException e) {
      throw e;
    } catch (CommitOutcomeUnknownException e) {
      return afterUnknownCommit(call, e);
    } catch (WorkFailure e) {
      return fail(call, e.thrown());
    } catch (RuntimeException e) {
      return fail(call, e);
    }
  }

  /** A codec is the team's code, and may fail with anything. */
  private static Call read(Claim claim, BoundHandler handler, Handling handling) {
    try {
      Object payload = handler.decode(claim.body().payload());
      return new Call(claim, handler, handling, payload, Headers.parse(claim.body().headers()));
    } catch (PayloadException e) {
      throw e;
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      throw new PayloadException("the codec failed on the payload: " + e, e);
    }
  }

  /**
   * The fence decides on a fresh connection: a claim that is still held was not acked. The handler
   * had done its work, so no attempt is counted.
   */
  private Outcome afterUnknownCommit(Call call, CommitOutcomeUnknownException unknown) {
    if (call.handling.timedOut()) {
      return fail(call, unknown);
    }
    if (!call.handling.beginFailure()) {
      return Outcome.ABANDONED;
    }
    try {
      Outcome outcome = failures.release(call.claim, Duration.ZERO);
      LOG.warn("the COMMIT was lost with its connection; the message is released", unknown);
      return outcome;
    } catch (ClaimLostException e) {
      LOG.info("the COMMIT whose answer was lost had happened, or the claim was lost before it");
      return Outcome.LOST;
    }
  }

  private Outcome fail(Call call, Throwable thrown) {
    Handling handling = call.handling;
    Throwable failure =
        handling.timedOut() ? new HandlerTimeoutException(handling.timeout()) : thrown;
    if (failure != thrown) {
      failure.addSuppressed(thrown);
    }
    if (!handling.beginFailure()) {
      return Outcome.ABANDONED;
    }
    return handling.stopping()
        ? failures.giveBack(call.claim)
        : failures.settle(call.claim, call.handler.policy(), failure);
  }

  private void call(Call call) {
    if (call.handler.policy().transactional()) {
      transactions.run(Transition.ACK, tx -> inTransaction(call, tx));
    } else {
      invoke(call, new ClaimContext(call.claim, schema.queueName(), call.headers, null, null));
      call.handling.beginAck();
      ackAlone(call.claim);
    }
  }

  private boolean inTransaction(Call call, Transaction tx) throws SQLException {
    HandlerTransaction guard = new HandlerTransaction(tx.connection());
    call.handling.runsOn(tx.connection());
    try {
      invoke(call, context(call, guard, tx.dsl()));
    } catch (WorkFailure e) {
      SQLException doom = guard.doom();
      if (doom != null && !call.handling.timedOut()) {
        throw doom;
      }
      throw e;
    } finally {
      guard.end();
    }
    SQLException doom = guard.doom();
    if (doom != null) {
      // The handler swallowed it and went on, on a transaction that has lost its first writes.
      throw doom;
    }
    call.handling.beginAck();
    guard.verify();
    settler.ack(tx.dsl(), call.claim);
    return true;
  }

  private ClaimContext context(Call call, HandlerTransaction guard, DSLContext raw) {
    Connection connection = guard.connection();
    Configuration configuration =
        Transactions.dsl(connection, raw.dialect())
            .configuration()
            .derive(new SavepointTransactions(connection));
    return new ClaimContext(
        call.claim, schema.queueName(), call.headers, connection, DSL.using(configuration));
  }

  /** Whatever the team's code throws comes out as a {@link WorkFailure}. */
  private void invoke(Call call, HandlerContext context) {
    try {
      chain(0, call, context).proceed();
    } catch (Throwable e) {
      if (e instanceof InterruptedException) {
        Thread.currentThread().interrupt();
      }
      throw new WorkFailure(e);
    }
  }

  private HandlerInterceptor.Invocation chain(int index, Call call, HandlerContext context) {
    if (index == interceptors.size()) {
      return () -> call.handler.handle(call.payload, context);
    }
    return () -> interceptors.get(index).intercept(context, chain(index + 1, call, context));
  }

  private void ackAlone(Claim claim) {
    boolean held;
    try {
      held = settler.ack(claim);
    } catch (CommitOutcomeUnknownException e) {
      // It deletes one claim's message or finds it gone, so it may simply be asked again.
      settler.ack(claim);
      return;
    }
    if (!held) {
      throw new ClaimLostException(claim, "ack");
    }
  }

  private interface Settlement {
    Outcome settle();
  }

  private record Call(
      Claim claim,
      BoundHandler handler,
      Handling handling,
      Object payload,
      Map<String, String> headers) {}
}
