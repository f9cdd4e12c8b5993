package io.rowqueue.operate;

import java.util.Optional;

/**
 * Chains by their ids, for operators and producers. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database still fails after all retries.
 */
public interface Chains {

  /** The chain; empty if it has ended, or never existed. */
  Optional<ChainDetails> find(long id);

  /**
   * Deletes the remaining steps, and the current message if no worker has claimed it; if it is
   * being handled, the chain ends with it. A dead letter is kept, and is the chain's last step if
   * it is redriven.
   *
   * @return whether its message was deleted, too
   * @throws RefusedException if there is no such chain
   */
  boolean cancel(long id);
}
