package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import java.time.Duration;

/**
 * Computes how many messages of a topic may be claimed now: none while it is paused, otherwise what
 * this worker's rate limit and the cluster-wide limits allow. Thread-safe; only {@link #admit}
 * queries the database.
 */
final class ClaimBudget {

  private final OperatorPoller operators;
  private final Rates rates;
  private final Limits limits;

  ClaimBudget(OperatorPoller operators, Rates rates, Limits limits) {
    this.operators = operators;
    this.rates = rates;
    this.limits = limits;
  }

  /** Returns how many messages of {@code topic} may be claimed now. */
  int capacity(Topic topic) {
    return operators.isPaused(topic) ? 0 : Math.min(limits.capacity(topic), rates.capacity(topic));
  }

  /**
   * Returns whether {@code topic} waits for a slot or a rate limit of this worker or the cluster.
   */
  boolean isHeldBack(Topic topic) {
    return !operators.isPaused(topic) && (rates.capacity(topic) == 0 || limits.isHeldBack(topic));
  }

  /**
   * Returns how many of {@code share} may be claimed, after acquiring the slots and tokens of the
   * cluster-wide limits.
   */
  int admit(Topic topic, LockId worker, int share) {
    int wanted = Math.min(share, capacity(topic));
    return wanted == 0 ? 0 : limits.admit(topic, worker, wanted);
  }

  /**
   * Records that {@code count} messages of {@code topic} were claimed, at most as many as were
   * admitted.
   */
  void claimed(Topic topic, int count) {
    rates.claimed(topic, count);
    limits.claimed(topic, count);
  }

  /** Records that a claim of {@code topic} was released unprocessed. Callable from any thread. */
  void released(Topic topic) {
    rates.released(topic);
    limits.released(topic);
  }

  /** Returns the shortest time until a limited topic can be polled again, or {@code longest}. */
  Duration wait(Duration longest) {
    return limits.wait(rates.wait(longest));
  }
}
