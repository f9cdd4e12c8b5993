package io.rowqueue.claim;

import io.rowqueue.message.Topic;

/**
 * What a worker's one claimer asks for.
 *
 * @param topic whose messages
 * @param lockId for whom
 * @param limit at most how many, at least 1
 * @param suspects at most how many with a lost claim behind them, at least 0; the rest of them stay
 *     for others, so that a message that kills its worker takes as few neighbours along as possible
 */
public record ClaimRequest(Topic topic, LockId lockId, int limit, int suspects) {

  /** Checks the limits. */
  public ClaimRequest {
    if (limit < 1 || suspects < 0) {
      throw new IllegalArgumentException(
          "limit must be at least 1 and suspects at least 0, not %d and %d"
              .formatted(limit, suspects));
    }
  }

  /** The same for fewer messages. */
  ClaimRequest only(int fewer, int fewerSuspects) {
    return new ClaimRequest(topic, lockId, fewer, fewerSuspects);
  }
}
