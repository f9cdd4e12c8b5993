package io.rowqueue.internal.reap;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jooq.Condition;

/**
 * Releases what the dead held. Any worker may run it at any time, several at once. Thread-safe.
 * Every method throws {@link io.rowqueue.QueueException} if the database fails after every
 * repetition.
 */
public interface Reaper {

  /**
   * Whether a worker seems to be dead, will be by its lease within {@code soon}, or is and has left
   * something: for a read that somebody makes anyway, so that a queue where everybody lives costs
   * next to nothing. Looks at no message.
   */
  Condition isAnyoneGone(Duration soon);

  /** Whether {@link #isAnyoneGone} holds now; one read. */
  boolean hasSomeoneGone(Duration soon);

  /**
   * Whether there are claims of which no row of a worker, alive or dead, tells. Nobody leaves such
   * by dying, and the look walks over all that is claimed: for now and then.
   */
  boolean hasOrphans();

  /**
   * How long until the lease of a worker that is alive by its row runs out, if nobody renews it;
   * zero if one has; empty if none does within {@code soon}.
   */
  Optional<Duration> nextLeaseEnd(Duration soon);

  /**
   * Declares every worker dead whose lease has run out.
   *
   * @return how many this call declared dead
   */
  int declareDead();

  /**
   * Workers that are alive by their row and whose lock is free on this server, in the run of it on
   * which they took it. One look proves nothing: a worker whose connection broke takes its lock
   * again at once.
   */
  Set<Unlocked> unlocked();

  /**
   * Declares a worker dead that was {@link #unlocked()} twice.
   *
   * @return false if it has renewed its lease since, or somebody else was first
   */
  boolean declareDead(Unlocked worker);

  /**
   * A worker whose lock is free.
   *
   * @param lockId the worker
   * @param lease until when its lease ran when it was looked at
   */
  record Unlocked(String lockId, Instant lease) {}

  /**
   * Releases claims that no live worker holds, adds the lost claim where it counts, and quarantines
   * messages that reach {@code maxLostClaims}. At most {@code limit} claims. What the server
   * refuses for one message holds up no other; it is tried again after a growing delay.
   */
  Reaped reap(int limit, int maxLostClaims);

  /**
   * Removes the rows of the dead that hold nothing any more.
   *
   * @return how many
   */
  int removeDead();

  /**
   * What a reap did.
   *
   * @param released messages that are available again
   * @param quarantined messages that became dead letters
   */
  record Reaped(int released, int quarantined) {

    /** Both together. */
    public int total() {
      return released + quarantined;
    }

    Reaped plus(Reaped other) {
      return new Reaped(released + other.released, quarantined + other.quarantined);
    }
  }
}
