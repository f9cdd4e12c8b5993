package io.rowqueue.internal.limit;

import io.rowqueue.Topic;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import java.util.Collection;
import java.util.Set;

/**
 * The slots of topics: each is a permit to handle one message. A worker takes some when it has
 * work, keeps them while work lasts, and releases them; the slots of a dead worker are freed.
 * Thread-safe. Every method throws {@link io.rowqueue.QueueException} if the database still fails
 * after all retries. A take whose COMMIT got no reply may have succeeded; {@link #read} shows it.
 */
public interface TopicSlots {

  /** The maximum number of slots of a topic. */
  int MOST = 1_000;

  /** The current holders of the slots of {@code topic}; one read, no locks. */
  SlotTable read(Topic topic);

  /**
   * Creates {@code slots} of {@code topic} as free slots. Existing ones are not changed.
   *
   * @return how many were created
   */
  int make(Topic topic, Collection<Integer> slots);

  /**
   * Takes those of {@code slots} that are free and that no other worker is taking at the moment.
   *
   * @return those that {@code worker} holds now
   */
  Set<Integer> take(Topic topic, LockId worker, Collection<Integer> slots);

  /**
   * Releases those of {@code slots} that {@code worker} holds.
   *
   * @return how many were released
   */
  int release(Topic topic, LockId worker, Collection<Integer> slots);

  /**
   * Records that a worker has work for {@code topic} and no slot, so that others release some. Call
   * it only from time to time: the request is honored for two seconds.
   */
  void want(Topic topic);

  /**
   * Frees the slots of {@code topic} whose holder has no live row.
   *
   * @return how many were freed
   */
  int freeThoseOfTheDead(Topic topic);

  /** The slots in the database of {@code transactions}. */
  static TopicSlots of(Transactions transactions) {
    return new JooqSlots(transactions);
  }
}
