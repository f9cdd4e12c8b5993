package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.internal.database.PiggybackQuery;
import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * What a worker does with claims before and beside their handling. Thread-safe. Every method throws
 * {@link io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface ClaimStore {

  /** Looks which of {@code topics} have an available message; one read, no locks. */
  PollResult poll(Collection<Topic> topics);

  /**
   * Looks, in the same read, also whether a scheduled message of any topic is due, and asks {@code
   * aside}, so that an idle worker has one look and not several.
   */
  PollResult poll(Collection<Topic> topics, List<PiggybackQuery> aside);

  /**
   * Makes up to {@code limit} scheduled messages that are due available, the longest due first.
   *
   * @return how many; {@code limit} means that there may be more
   */
  int promote(int limit);

  /**
   * Marks a suspect's handling as begun, in a commit of its own, so that its worker's death counts
   * against it and not against its neighbours.
   *
   * @throws ClaimLostException if the claim is no longer held
   */
  void start(Claim claim);

  /**
   * The same claim with its body, read now if the claim did not read it.
   *
   * @throws ClaimLostException if the claim is no longer held
   */
  Claim load(Claim claim);

  /**
   * Gives back claims that have not started: those whose due time lies ahead become scheduled, the
   * others available. No attempt is counted. Claims that are no longer held are passed over.
   *
   * @return how many were given back
   */
  int release(Collection<Claim> claims);

  /**
   * Releases whatever {@code lockId} holds in the database and is not in {@code known}: left-overs
   * of a lost COMMIT reply, a failed dispatch or a settlement that was given up. Runs between two
   * claims, or it would release what a claim is just taking.
   *
   * @return how many were released
   */
  int reconcile(LockId lockId, Set<ClaimKey> known);
}
