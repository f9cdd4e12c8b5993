package io.rowqueue.internal.claim;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;
import java.util.NavigableMap;

/**
 * How much of a topic waits for a worker. Each look walks over no more of one index than it is
 * asked to, locks nothing, and begins above marks, where a claimer has some. Thread-safe. Every
 * method throws {@link io.rowqueue.QueueException} if the database fails.
 */
public interface Backlog {

  /**
   * How many messages of {@code topic} are available, at most {@code most}.
   *
   * @param marks for each known priority, the id at and below which nothing needs to be looked for;
   *     empty to look everywhere
   */
  long depth(Topic topic, NavigableMap<Byte, Long> marks, long most);

  /**
   * For how long the oldest available message has waited: of the first ten of each priority, since
   * the very first may be a retry that has just come back. Zero if there is none.
   */
  Duration oldest(Topic topic, NavigableMap<Byte, Long> marks);

  /** The backlog that {@code transactions} reach. */
  static Backlog of(Transactions transactions) {
    return new JooqBacklog(transactions);
  }
}
