package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import java.util.List;

/**
 * A request of a worker's claimer.
 *
 * @param topic whose messages
 * @param lockId the worker
 * @param limit at most how many, at least 1
 * @param mostAlone at most how many that must be handled alone, at least 0; the rest of them are
 *     left to other workers, so that a message that kills its worker affects as few other messages
 *     as possible
 * @param aloneFrom from how many lost claims on a message must be handled alone, at least 1
 * @param candidates candidates of a poll that has just run, in claim order, so that the claim need
 *     not search; empty if there was no poll, or if more is available than it returned
 * @param areOffers whether the candidates were released by this process instead: others may precede
 *     them, and nothing else is claimed
 */
public record ClaimRequest(
    Topic topic,
    LockId lockId,
    int limit,
    int mostAlone,
    int aloneFrom,
    List<Candidate> candidates,
    boolean areOffers) {

  /** Checks the limits. */
  public ClaimRequest {
    candidates = List.copyOf(candidates);
    if (limit < 1 || mostAlone < 0 || aloneFrom < 1) {
      throw new IllegalArgumentException(
          "limit and aloneFrom must be at least 1 and mostAlone at least 0, not %d, %d and %d"
              .formatted(limit, aloneFrom, mostAlone));
    }
  }

  /** Every message with a lost claim must be handled alone. */
  public ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone) {
    this(topic, lockId, limit, mostAlone, 1);
  }

  /** Without a preceding poll. */
  public ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone, int aloneFrom) {
    this(topic, lockId, limit, mostAlone, aloneFrom, List.of(), false);
  }

  /** A copy with the candidates of {@code poll}. */
  public ClaimRequest after(PollResult poll) {
    List<Candidate> found = poll.candidates().getOrDefault(topic, List.of());
    boolean all = found.size() < PollResult.MOST_CANDIDATES || found.size() >= limit;
    return new ClaimRequest(
        topic, lockId, limit, mostAlone, aloneFrom, all ? found : List.of(), false);
  }

  /** A copy that claims only {@code offers}, in claim order. */
  public ClaimRequest among(List<Candidate> offers) {
    return new ClaimRequest(topic, lockId, limit, mostAlone, aloneFrom, offers, true);
  }

  /** Whether a message with this many lost claims must be handled alone. */
  boolean alone(int lost) {
    return lost >= aloneFrom;
  }

  /** A copy for at most so many messages. */
  ClaimRequest atMost(int most) {
    return limit <= most
        ? this
        : new ClaimRequest(topic, lockId, most, mostAlone, aloneFrom, candidates, areOffers);
  }

  /** A copy for so many messages, without candidates. */
  ClaimRequest only(int other, int otherAlone) {
    return new ClaimRequest(topic, lockId, other, otherAlone, aloneFrom);
  }
}
