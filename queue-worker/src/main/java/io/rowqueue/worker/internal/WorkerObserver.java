package io.rowqueue.worker.internal;

import io.rowqueue.Topic;
import io.rowqueue.handler.Outcome;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.handle.Handling;
import java.time.Duration;
import java.util.List;

/**
 * Is told what a worker does, on the thread that does it, and must neither fail nor wait. Bound in
 * a set, which is empty unless somebody wants to know. Thread-safe.
 */
public interface WorkerObserver {

  /** Looks on and does nothing. */
  WorkerObserver NONE = new WorkerObserver() {};

  /** These messages of {@code topic}, if any, were claimed at once, which took so long. */
  default void claimed(Topic topic, List<Claim> claims, Duration took) {}

  /** A handler is about to run. */
  default void begun(Handling handling) {}

  /** Its handling is over. */
  default void ended(Handling handling) {}

  /** A claim has come to its end. */
  default void settled(Claim claim, Outcome outcome) {}

  /** Messages of dead workers were freed, or quarantined. */
  default void reaped(int released, int quarantined) {}

  /** So many peers were declared dead. */
  default void declaredDead(int workers) {}
}
