package io.rowqueue.worker.internal.poll;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import java.time.Duration;

/**
 * How many messages of a topic may be claimed now: none while operators pause it, else what this
 * worker's rate and the cluster's limits leave. Thread-safe; only {@link #admit} asks the database.
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

  /** How many of {@code topic} it would let through now. */
  int capacity(Topic topic) {
    return operators.isPaused(topic) ? 0 : Math.min(limits.capacity(topic), rates.capacity(topic));
  }

  /** Whether {@code topic} waits for a slot or a rate, its own or the cluster's. */
  boolean isHeldBack(Topic topic) {
    return !operators.isPaused(topic) && (rates.capacity(topic) == 0 || limits.isHeldBack(topic));
  }

  /** How many of {@code share} may be claimed, after taking what the cluster's limits ask for. */
  int admit(Topic topic, LockId worker, int share) {
    int wanted = Math.min(share, capacity(topic));
    return wanted == 0 ? 0 : limits.admit(topic, worker, wanted);
  }

  /** So many of {@code topic} were claimed, at most as many as were admitted. */
  void claimed(Topic topic, int count) {
    rates.claimed(topic, count);
    limits.claimed(topic, count);
  }

  /** One of {@code topic} was given back without being handled. Any thread may say so. */
  void released(Topic topic) {
    rates.released(topic);
    limits.released(topic);
  }

  /** The least time until a topic that is held back is worth another look, or {@code longest}. */
  Duration wait(Duration longest) {
    return limits.wait(rates.wait(longest));
  }
}
