package io.rowqueue.internal.depth;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.operate.DepthLimit;
import java.util.NavigableMap;

/** Measures how full topics are, and stores the result. Thread-safe. */
public interface DepthSampler {

  /**
   * Samples {@code topic}, unless it was sampled within the last second, or within twenty times the
   * duration of the last sample. Locks only the row that it writes.
   *
   * @param marks ids below which nothing is read, by priority, from a claimer's cursor; or empty
   * @return whether it took a sample
   * @throws io.rowqueue.QueueException if the database still fails after all retries
   */
  boolean sample(Topic topic, DepthLimit limit, NavigableMap<Byte, Long> marks);

  /** The sampler of the database of {@code transactions}. */
  static DepthSampler of(Transactions transactions) {
    return new JooqDepthSampler(transactions);
  }
}
