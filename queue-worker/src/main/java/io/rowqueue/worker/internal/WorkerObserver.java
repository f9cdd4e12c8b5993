package io.rowqueue.worker.internal;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Callbacks for a worker's actions, on the acting thread; they must neither fail nor block. Bound
 * in a set, empty by default. Thread-safe.
 */
public interface WorkerObserver {

  /** Does nothing. */
  WorkerObserver NONE = new WorkerObserver() {};

  /**
   * Called after a claim for {@code topic}, which may have returned no messages, with its duration.
   */
  default void claimed(Topic topic, List<Claim> claims, Duration took) {}

  /** Called before a handler runs. */
  default void begun(Handling handling) {}

  /** Called after an attempt. */
  default void ended(Handling handling) {}

  /** Called when a claim has ended. */
  default void settled(Claim claim, Outcome outcome) {}

  /** Called when messages of dead workers were released or quarantined. */
  default void reaped(int released, int quarantined) {}

  /** Called with the number of peers declared dead. */
  default void declaredDead(int workers) {}

  /** Forwards to several observers. */
  public record Observers(List<WorkerObserver> all) implements WorkerObserver {

    /**
     * Returns an observer that forwards to all of {@code observers}; a single one is returned as
     * is.
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
}
