package io.rowqueue.internal.claim;

import io.rowqueue.QueueException;
import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.database.PiggybackQuery;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A worker's reads and writes of claims outside of handling. Thread-safe. Every method throws
 * {@link io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface ClaimStore {

  /** Polls which of {@code topics} have an available message; one read, no locks. */
  PollResult poll(Collection<Topic> topics);

  /**
   * Polls, and in the same read checks whether a scheduled message of any topic is due and runs
   * {@code aside}, so that an idle worker sends one query and not several.
   */
  PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside);

  /**
   * Makes up to {@code limit} scheduled messages that are due available, the longest due first.
   *
   * @return how many; {@code limit} means that there may be more
   */
  int promote(int limit);

  /**
   * Records in a commit of its own that the handling of a suspect has started, so that its worker's
   * death counts against this message and not against the others claimed with it.
   *
   * @throws ClaimLostException if the claim is no longer held
   */
  void start(Claim claim);

  /**
   * A copy with its body, read now if the claim did not read it.
   *
   * @throws ClaimLostException if the claim is no longer held
   */
  Claim load(Claim claim);

  /**
   * Releases claims that have not started: messages that are not due yet become scheduled, the
   * others available. No attempt is counted. Claims that are no longer held are skipped.
   *
   * @return how many were released
   */
  int release(Collection<Claim> claims);

  /**
   * Releases the claims that {@code lockId} holds in the database and that are not in {@code
   * known}: leftovers of a lost COMMIT reply, a failed dispatch or a settlement that was given up.
   * Must run between two claims, or it would release messages that are just being claimed.
   *
   * @return how many were released
   */
  int reconcile(LockId lockId, Set<ClaimKey> known);

  /** Returns why the database has refused rows that are left out for now. */
  default Optional<QueueException> refusal() {
    return Optional.empty();
  }
}
