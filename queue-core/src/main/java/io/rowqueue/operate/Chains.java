package io.rowqueue.operate;

import java.util.Optional;

/**
 * Chains by their ids, for operators and producers. Thread-safe. Every method throws {@link
 * io.rowqueue.QueueException} if the database fails after every repetition.
 */
public interface Chains {

  /** The chain; empty if it has ended, or never was. */
  Optional<ChainDetails> find(long id);

  /**
   * Deletes the steps to come, and the message that it has come to if no worker has claimed it; one
   * that is being handled ends the chain. A dead letter stays, and its redrive is the chain's last
   * step.
   *
   * @return whether its message was taken out, too
   * @throws RefusedException if there is no such chain
   */
  boolean cancel(long id);
}
