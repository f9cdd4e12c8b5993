package io.rowqueue.worker.internal;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Forwards to several observers. */
public record Observers(List<WorkerObserver> all) implements WorkerObserver {

  /**
   * Returns an observer that forwards to all of {@code observers}; a single one is returned as is.
   */
  public static WorkerObserver of(Collection<WorkerObserver> observers) {
    return switch (observers.size()) {
      case 0 -> NONE;
      case 1 -> observers.iterator().next();
      default -> new Observers(List.copyOf(observers));
    };
  }

  @Override
  public void claimed(Topic topic, List<Claim> claims, Duration took) {
    all.forEach(one -> one.claimed(topic, claims, took));
  }

  @Override
  public void begun(Handling handling) {
    all.forEach(one -> one.begun(handling));
  }

  @Override
  public void ended(Handling handling) {
    all.forEach(one -> one.ended(handling));
  }

  @Override
  public void settled(Claim claim, Outcome outcome) {
    all.forEach(one -> one.settled(claim, outcome));
  }

  @Override
  public void reaped(int released, int quarantined) {
    all.forEach(one -> one.reaped(released, quarantined));
  }

  @Override
  public void declaredDead(int workers) {
    all.forEach(one -> one.declaredDead(workers));
  }
}
