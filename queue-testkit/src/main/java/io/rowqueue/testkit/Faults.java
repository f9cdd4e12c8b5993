package io.rowqueue.testkit;

import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.TransactionProbe;
import io.rowqueue.internal.database.Transition;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Injects one fault at its point. Confined to the test's thread and its attempts. */
final class Faults implements HandlerInterceptor, TransactionProbe {

  private final TestConnections connections;
  private final Consumer<Claim> takingAway;
  private @Nullable Fault next;
  private @Nullable Consumer<HandlerContext> listener;
  private List<Claim> claims = List.of();
  private boolean handled;

  Faults(TestConnections connections, Consumer<Claim> takingAway) {
    this.connections = connections;
    this.takingAway = takingAway;
  }

  void arm(Fault fault) {
    next = fault;
  }

  /** Called after each handler that returns, in its transaction. */
  void listen(@Nullable Consumer<HandlerContext> behindHandler) {
    listener = behindHandler;
  }

  void begins(List<Claim> inHand) {
    claims = inHand;
    handled = false;
  }

  boolean take(Fault fault) {
    boolean wanted = next == fault;
    if (wanted) {
      next = null;
    }
    return wanted;
  }

  @Override
  public void intercept(HandlerContext context, Invocation handler) throws Exception {
    if (take(Fault.CRASH_BEFORE_HANDLER)) {
      throw connections.die();
    }
    if (take(Fault.DEADLOCK)) {
      connections.deadlock();
    }
    handler.proceed();
    handled = true;
    Consumer<HandlerContext> behind = listener;
    if (behind != null) {
      behind.accept(context);
    }
    if (take(Fault.CRASH_AFTER_HANDLER)) {
      throw connections.die();
    }
    if (take(Fault.CLAIM_LOST)) {
      ClaimKey key = new ClaimKey(context.id(), context.claimNumber());
      claims.stream().filter(claim -> ClaimKey.of(claim).equals(key)).forEach(takingAway);
    }
    if (take(Fault.COMMIT_ANSWER_LOST)) {
      connections.loseCommitAnswer();
    }
  }

  @Override
  public void beforeCommit(Transition transition) {
    if (isAck(transition) && take(Fault.CRASH_BEFORE_COMMIT)) {
      throw connections.die();
    }
  }

  @Override
  public void afterCommit(Transition transition) {
    if (isAck(transition) && take(Fault.CRASH_AFTER_COMMIT)) {
      throw connections.die();
    }
  }

  private boolean isAck(Transition transition) {
    return handled && transition == Transition.ACK;
  }
}
