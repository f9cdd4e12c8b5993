package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import java.util.List;

/**
 * What a worker's one claimer asks for.
 *
 * @param topic whose messages
 * @param lockId for whom
 * @param limit at most how many, at least 1
 * @param mostAlone at most how many that must be handled alone, at least 0; the rest of them stay
 *     for others, so that a message that kills its worker takes as few neighbours along as possible
 * @param aloneFrom from how many lost claims on a message must be handled alone, at least 1
 * @param candidates what a look has just found, in claim order: the claim then need not look; empty
 *     if there was none, or if there is more than it found
 * @param areOffers whether they were offered instead: others may lie before them, and nothing else
 *     is asked for
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

  /** Where every message with a lost claim behind it must be handled alone. */
  public ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone) {
    this(topic, lockId, limit, mostAlone, 1);
  }

  /** Without a look before it. */
  public ClaimRequest(Topic topic, LockId lockId, int limit, int mostAlone, int aloneFrom) {
    this(topic, lockId, limit, mostAlone, aloneFrom, List.of(), false);
  }

  /** The same after {@code look}. */
  public ClaimRequest after(PollResult poll) {
    List<Candidate> found = poll.candidates().getOrDefault(topic, List.of());
    boolean all = found.size() < PollResult.MOST_CANDIDATES || found.size() >= limit;
    return new ClaimRequest(
        topic, lockId, limit, mostAlone, aloneFrom, all ? found : List.of(), false);
  }

  /** The same for nothing but {@code offers}, in claim order. */
  public ClaimRequest among(List<Candidate> offers) {
    return new ClaimRequest(topic, lockId, limit, mostAlone, aloneFrom, offers, true);
  }

  /** Whether a message that has lost so many claims must be handled alone. */
  boolean alone(int lost) {
    return lost >= aloneFrom;
  }

  /** The same for at most so many messages. */
  ClaimRequest atMost(int most) {
    return limit <= most
        ? this
        : new ClaimRequest(topic, lockId, most, mostAlone, aloneFrom, candidates, areOffers);
  }

  /** The same for so many messages, without a look before it. */
  ClaimRequest only(int other, int otherAlone) {
    return new ClaimRequest(topic, lockId, other, otherAlone, aloneFrom);
  }
}
