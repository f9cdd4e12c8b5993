package io.rowqueue.worker.internal.dashboard;

import io.rowqueue.QueueException;
import io.rowqueue.internal.claim.QueueCounts;
import io.rowqueue.internal.claim.QueueCounts.TopicCounts;
import io.rowqueue.internal.database.StatementTimeout;
import io.rowqueue.internal.depth.JooqTableSize;
import java.time.Duration;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the limit of counts so that the index entries of one reading of all topics take a given
 * time: from the number of entries that the last reading counted, and how long it took. Confined to
 * one thread.
 */
final class CountLimit {

  static final int MOST = QueueCounts.MOST;

  static final int LEAST = 10;

  /** An index entry in memory takes 250 to 1,000 ns; one on a disk, its share of a page. */
  private static final long ASSUMED_NANOS = 1_000;

  private static final long LEAST_NANOS = 250;

  private static final long MOST_NANOS = 10_000;

  /**
   * What the parts of the statements cost for each topic, whatever they count, if two connections
   * share them: on MySQL 9.7; on MariaDB 11.8 half of it.
   */
  static final long TOPIC_NANOS = 350_000;

  /** Most topics have messages in one state, and dead letters. */
  private static final int COUNTS_PER_TOPIC = 2;

  private final long time;
  private final LongSupplier clock;
  private long nanosPerEntry = ASSUMED_NANOS;
  private boolean isSizeTrusted = true;
  private int used = MOST;

  /**
   * For readings of about {@code time}.
   *
   * @param clock as {@link System#nanoTime()}
   */
  CountLimit(Duration time, LongSupplier clock) {
    this.time = time.toNanos();
    this.clock = clock;
  }

  /** Returns the limit of the last counts. */
  int used() {
    return used;
  }

  /**
   * Counts everything if that takes at most the given time, and otherwise up to a limit. If the
   * server cancels the statement, it is repeated once with the lowest limit.
   *
   * @param size the engine's estimate; null if unknown
   * @param upTo counts each state of each topic up to a limit
   * @throws QueueException if both fail
   */
  Map<String, TopicCounts> count(
      int topics, @Nullable JooqTableSize size, IntFunction<Map<String, TopicCounts>> upTo) {
    int limit = limit(topics, size);
    try {
      return countOnce(limit, upTo);
    } catch (QueueException e) {
      if (limit == LEAST || !StatementTimeout.isIn(e)) {
        throw e;
      }
      isSizeTrusted = false;
      return countOnce(LEAST, upTo);
    }
  }

  private int limit(int topics, @Nullable JooqTableSize size) {
    long entries = time / nanosPerEntry;
    if (isSizeTrusted && size != null && size.rows() + size.deadLetters() <= entries) {
      return MOST;
    }
    long each = entries / (COUNTS_PER_TOPIC * (long) Math.max(1, topics));
    return (int) Math.max(LEAST, Math.min(MOST, each));
  }

  private Map<String, TopicCounts> countOnce(
      int limit, IntFunction<Map<String, TopicCounts>> upTo) {
    used = limit;
    long start = clock.getAsLong();
    Map<String, TopicCounts> counted = upTo.apply(limit);
    long took = clock.getAsLong() - start - TOPIC_NANOS * counted.size();
    TopicCounts sum = TopicCounts.sum(counted);
    long entries = sum.depth().number() + sum.deadLetters().number();
    nanosPerEntry = Math.max(LEAST_NANOS, Math.min(MOST_NANOS, took / Math.max(1, entries)));
    isSizeTrusted |= sum.isExact();
    return counted;
  }
}
