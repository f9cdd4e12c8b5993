package io.rowqueue.internal.progress;

import io.rowqueue.internal.claim.ClaimKey;
import io.rowqueue.internal.database.Transactions;
import java.util.Collection;

/**
 * The table of what handlers report. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface ProgressStore {

  /** How many reports are written at once, at most. */
  int MOST = 500;

  /**
   * Writes the reports, at most {@link #MOST} of different messages; the one of a later claim
   * stays.
   */
  void report(Collection<ProgressReport> reports);

  /** Deletes what these claims have reported, and nothing of later ones. */
  void forget(Collection<ClaimKey> ended);

  /**
   * Deletes what has been said a minute ago, or longer, by claims that have ended since.
   *
   * @param limit how many at most
   * @return how many
   */
  int prune(int limit);

  /** The store that {@code transactions} reach. */
  static ProgressStore of(Transactions transactions) {
    return new JooqProgressStore(transactions);
  }
}
