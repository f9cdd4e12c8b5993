package io.rowqueue.claim;

import java.util.List;

/**
 * One way to take available messages. Strategies differ in nothing else. Thread-safe, though one
 * claimer a process is what the figures in {@code docs/design-decisions.md} advise.
 */
public interface ClaimStrategy {

  /**
   * Takes up to {@code request.limit()} available messages, the most urgent first, and commits
   * before it returns: no handler may begin before that.
   *
   * @return the claims; empty if nothing is available
   * @throws io.rowqueue.QueueException if the database fails after every repetition; claims that it
   *     may have made are released by the next reconciliation
   */
  List<Claim> claim(ClaimRequest request);
}
