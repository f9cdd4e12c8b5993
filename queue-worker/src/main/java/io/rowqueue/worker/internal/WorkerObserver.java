package io.rowqueue.worker.internal;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import java.time.Duration;
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
}
