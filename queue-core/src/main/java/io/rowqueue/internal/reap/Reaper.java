package io.rowqueue.internal.reap;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;

/**
 * Releases the claims of dead workers. Any worker may run it at any time, several at once.
 * Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the database still fails
 * after all retries.
 */
public interface Reaper {

  /**
   * Whether a worker seems to be dead, its lease expires within {@code soon}, or it is dead and has
   * left claims. The condition is added to a query that workers run anyway, so that a queue without
   * dead workers pays almost nothing. It reads no messages.
   */
  Condition isAnyoneGone(Duration soon);

  /** Whether {@link #isAnyoneGone} holds now; one read. */
  boolean hasSomeoneGone(Duration soon);

  /**
   * Whether there are claims without a worker's row, alive or dead. A worker's death leaves none,
   * and the query scans all claimed messages, so run it rarely.
   */
  boolean hasOrphans();

  /**
   * How long until the first lease of a live worker expires unless renewed; zero if one has
   * expired; empty if none expires within {@code soon}.
   */
  Optional<Duration> nextLeaseEnd(Duration soon);

  /**
   * Declares every worker dead whose lease has expired.
   *
   * @return how many this call declared dead
   */
  int declareDead();

  /**
   * Workers whose row is alive and whose lock is free on this server, in the incarnation of the
   * server on which they took it. One result proves nothing: a worker whose connection broke takes
   * its lock again at once.
   */
  Set<Unlocked> unlocked();

  /**
   * Declares a worker dead that was {@link #unlocked()} twice.
   *
   * @return false if the worker has renewed its lease since, or another worker has declared it dead
   *     first
   */
  boolean declareDead(Unlocked worker);

  /** A worker whose lock is free. */
  record Unlocked(String lockId, Instant lease) {}

  /**
   * Releases claims that no live worker holds, counts the lost claim where it counts, and
   * quarantines messages that reach {@code maxLostClaims}. At most {@code limit} claims. A message
   * that the server refuses to change does not block the others; it is retried after a growing
   * delay.
   */
  Reaped reap(int limit, int maxLostClaims);

  /**
   * Deletes the rows of dead workers that hold nothing any more.
   *
   * @return how many
   */
  int removeDead();

  /** The outcome of a reap. */
  record Reaped(int released, int quarantined) {

    public int total() {
      return released + quarantined;
    }

    Reaped plus(Reaped other) {
      return new Reaped(released + other.released, quarantined + other.quarantined);
    }
  }
}
