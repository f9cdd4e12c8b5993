package io.rowqueue.internal.claim;

import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.List;

/**
 * Turns candidates into claims; this is where strategies differ. Every implementation locks rows by
 * primary key in the order of their ids, and once per transaction, so that claims never deadlock
 * each other. Thread-safe.
 */
interface ClaimQuery {

  /** How many candidates it needs for a request of {@code limit}. */
  default int sees(int limit) {
    return limit;
  }

  /** The {@code limit} candidates, or more, that it tries to claim, in claim order. */
  default List<Candidate> pick(List<Candidate> found, int limit) {
    return found;
  }

  /** Whether it accepts more candidates than it claims. */
  default boolean chooses() {
    return false;
  }

  /**
   * Claims those of {@code offered} that no other worker has claimed; the worker owns them after
   * COMMIT.
   *
   * @param offered at least one
   * @return the claims, in claim order
   */
  List<Claim> take(Transaction transaction, ClaimRequest request, List<Candidate> offered)
      throws SQLException;
}
