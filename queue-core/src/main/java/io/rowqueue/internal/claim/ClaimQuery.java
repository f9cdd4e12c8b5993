package io.rowqueue.internal.claim;

import io.rowqueue.internal.database.Transaction;
import java.sql.SQLException;
import java.util.List;

/**
 * How candidates become the worker's: that in which strategies differ. Every way locks rows by
 * primary key in the order of their ids, and once in a transaction, so that no two claims wait for
 * each other in a circle. Thread-safe.
 */
interface ClaimQuery {

  /** How many candidates it wants to see for a request of {@code limit}. */
  default int sees(int limit) {
    return limit;
  }

  /** Those {@code limit} of them, or more, that it would have, in claim order. */
  default List<Candidate> pick(List<Candidate> found, int limit) {
    return found;
  }

  /** Whether it may be offered more than it is to take. */
  default boolean chooses() {
    return false;
  }

  /**
   * Makes those of {@code offered} that nobody else was faster to take the worker's at the COMMIT.
   *
   * @param offered at least one
   * @return the claims, in claim order
   */
  List<Claim> take(Transaction transaction, ClaimRequest request, List<Candidate> offered)
      throws SQLException;
}
