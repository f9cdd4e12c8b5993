package io.rowqueue.internal.limit;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import java.util.Collection;
import java.util.Set;

/**
 * The slots of topics: whoever holds one may run one handling. A worker takes some when it has
 * work, keeps them while work lasts, and gives them back; what a dead worker held is freed.
 * Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the database fails after
 * every repetition; a take whose COMMIT got no answer may have succeeded, and {@link #read} tells.
 */
public interface TopicSlots {

  /** A topic never has more than this many slots. */
  int MOST = 1_000;

  /** Who holds which slot of {@code topic} now; one read, no locks. */
  SlotTable read(Topic topic);

  /**
   * Makes {@code slots} of {@code topic}, nobody's yet. Those that there are stay as they are.
   *
   * @return how many were made
   */
  int make(Topic topic, Collection<Integer> slots);

  /**
   * Takes those of {@code slots} that are free and that nobody else is just taking.
   *
   * @return those that are {@code worker}'s now
   */
  Set<Integer> take(Topic topic, LockId worker, Collection<Integer> slots);

  /**
   * Gives {@code slots} back, those that are {@code worker}'s.
   *
   * @return how many that were
   */
  int release(Topic topic, LockId worker, Collection<Integer> slots);

  /**
   * Says that a worker has work for {@code topic} and no slot, so that others give some back. For
   * now and then: others heed it for two seconds.
   */
  void want(Topic topic);

  /**
   * Frees the slots of {@code topic} whose holder has no live row.
   *
   * @return how many were freed
   */
  int freeThoseOfTheDead(Topic topic);

  /** The slots that {@code transactions} reach. */
  static TopicSlots of(Transactions transactions) {
    return new JooqSlots(transactions);
  }
}
