package io.rowqueue.claim;

import io.rowqueue.message.Topic;

/**
 * What a worker's one claimer asks for.
 *
 * @param topic whose messages
 * @param lockId for whom
 * @param limit at most how many, at least 1
 * @param mostAlone at most how many that must be handled alone, at least 0; the rest of them stay
 *     for others, so that a message that kills its worker takes as few neighbours along as possible
 * @param aloneFrom from how many lost claims on a message must be handled alone, at least 1
 */
public record ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone, int aloneFrom) {

  /** Checks the limits. */
  public ClaimRequest {
    if (limit < 1 || mostAlone < 0 || aloneFrom < 1) {
      throw new IllegalArgumentException(
          "limit and aloneFrom must be at least 1 and mostAlone at least 0, not %d, %d and %d"
              .formatted(limit, aloneFrom, mostAlone));
    }
  }

  /** Where every message with a lost claim behind it must be handled alone. */
  public ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone) {
    this(topic, lockId, limit, mostAlone, 1);
  }

  /** Whether a message that has lost so many claims must be handled alone. */
  boolean alone(int lost) {
    return lost >= aloneFrom;
  }

  /** The same for so many messages. */
  ClaimRequest only(int other, int otherAlone) {
    return new ClaimRequest(topic, lockId, other, otherAlone, aloneFrom);
  }
}
