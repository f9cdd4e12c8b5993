package io.rowqueue.internal.limit;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;

/**
 * A token bucket for each topic with a rate, from which all workers draw permits to start messages.
 * It fills by the server's clock and holds the tokens of a tenth of a second, at least one.
 * Thread-safe.
 */
public interface RateBuckets {

  /**
   * Draws up to {@code wanted} tokens, or as many as there are. Drawn tokens are spent, whether or
   * not they are used.
   *
   * @param wanted at least 1
   * @param perSecond the current rate, at least 1
   * @throws io.rowqueue.QueueException if the database still fails after all retries; tokens may
   *     have been drawn then
   */
  Drawn draw(Topic topic, int wanted, int perSecond);

  /** The capacity of a bucket with {@code perSecond} messages a second. */
  static int burst(int perSecond) {
    return Math.max(1, perSecond / 10);
  }

  /** The buckets in the database of {@code transactions}. */
  static RateBuckets of(Transactions transactions) {
    return new JooqRateBuckets(transactions);
  }

  /**
   * The tokens that were drawn.
   *
   * @param messages how many messages may start
   * @param pause until another draw is worthwhile, if there were none
   */
  record Drawn(int messages, Duration pause) {}
}
