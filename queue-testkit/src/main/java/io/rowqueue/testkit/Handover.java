package io.rowqueue.testkit;

import io.rowqueue.MessageId;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import io.rowqueue.internal.handle.HandlingListener;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Enforces handler timeouts on the test's thread, and records the outcomes of claims. */
final class Handover implements HandlingListener {

  /** Tests do not wait as long as a binding may allow. */
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final List<Claim> claims;
  private final Map<MessageId, Outcome> outcomes = new ConcurrentHashMap<>();
  private @Nullable CountDownLatch running;

  Handover(List<Claim> claims) {
    this.claims = List.copyOf(claims);
  }

  /** In the order of their claims. */
  List<HandledMessage> ended() {
    return claims.stream()
        .map(
            claim ->
                new HandledMessage(
                    claim.id(),
                    claim.topic().name(),
                    claim.attempts() + 1,
                    outcomes.get(claim.id())))
        .toList();
  }

  List<Claim> handledWithoutTransaction() {
    return claims.stream().filter(claim -> outcomes.get(claim.id()) == Outcome.HANDLED).toList();
  }

  @Override
  public void begun(Handling handling) {
    CountDownLatch end = new CountDownLatch(1);
    running = end;
    Duration timeout = handling.timeout();
    long millis = (timeout.compareTo(PATIENCE) < 0 ? timeout : PATIENCE).toMillis();
    Thread watch =
        new Thread(
            () -> {
              try {
                if (!end.await(millis, TimeUnit.MILLISECONDS)) {
                  handling.interrupt();
                }
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "queue-handler-watch");
    watch.setDaemon(true);
    watch.start();
  }

  @Override
  public void ended(Handling handling) {
    CountDownLatch end = running;
    if (end != null) {
      end.countDown();
    }
  }

  @Override
  public void settled(Claim claim, Outcome outcome) {
    outcomes.put(claim.id(), outcome);
  }
}
