package io.rowqueue.internal.depth;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DepthLimit;
import java.util.NavigableMap;

/** Finds out how full topics are, and writes it down. Thread-safe. */
public interface DepthSampler {

  /**
   * Judges {@code topic}, unless somebody has within a second, or within twenty times what that
   * took. Locks nothing but the row that it writes.
   *
   * @param marks below which nothing is looked for, by priority, as a claimer knows them; or empty
   * @return whether it did
   * @throws io.rowqueue.QueueException if the database fails after every repetition
   */
  boolean sample(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks);

  /** The judge over {@code transactions}. */
  static DepthSampler of(Transactions transactions) {
    return new JooqDepthSampler(transactions);
  }
}
