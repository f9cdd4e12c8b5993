package io.rowqueue.internal.limit;

import io.rowqueue.Topic;
import io.rowqueue.internal.database.Transactions;
import java.time.Duration;

/**
 * A bucket for each topic with a rate, from which all workers draw what they may begin. It fills by
 * the server's clock and holds what a tenth of a second brings, at least one. Thread-safe.
 */
public interface RateBuckets {

  /**
   * Draws up to {@code wanted}, or as many as there are. What is drawn is gone, whether it is used
   * or not.
   *
   * @param wanted at least 1
   * @param perSecond what the bucket is filled with now, at least 1
   * @throws io.rowqueue.QueueException if the database fails after every repetition; something may
   *     have been drawn then
   */
  Drawn draw(Topic topic, int wanted, int perSecond);

  /** The most that a bucket of {@code perSecond} messages a second holds. */
  static int burst(int perSecond) {
    return Math.max(1, perSecond / 10);
  }

  /** The buckets that {@code transactions} reach. */
  static RateBuckets of(Transactions transactions) {
    return new JooqRateBuckets(transactions);
  }

  /**
   * What was drawn.
   *
   * @param messages how many may begin
   * @param pause until another draw is worth its while, if there were none
   */
  record Drawn(int messages, Duration pause) {}
}
