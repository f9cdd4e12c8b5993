package io.rowqueue.worker.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * What a topic holds; each number is at most {@link JooqCounts#MOST}, and there may be more then.
 *
 * @param available messages that may be claimed now
 * @param scheduled messages that wait until they are due
 * @param inLine messages that wait behind others with their ordering key
 * @param inFlight messages that a worker has claimed
 * @param dead dead letters
 * @param headSeconds for how long the one that is claimed next has waited; null if there is none
 */
record TopicCounts(
    long available,
    long scheduled,
    long inLine,
    long inFlight,
    long dead,
    @Nullable Long headSeconds) {

  static final TopicCounts NONE = new TopicCounts(0, 0, 0, 0, 0, null);

  /** How many are in the queue. */
  long living() {
    return available + scheduled + inLine + inFlight;
  }

  /** Whether the living were all counted. */
  boolean isExact() {
    return Math.max(Math.max(available, scheduled), Math.max(inLine, inFlight)) < JooqCounts.MOST;
  }

  TopicCounts plus(TopicCounts other) {
    return new TopicCounts(
        available + other.available,
        scheduled + other.scheduled,
        inLine + other.inLine,
        inFlight + other.inFlight,
        dead + other.dead,
        null);
  }
}
