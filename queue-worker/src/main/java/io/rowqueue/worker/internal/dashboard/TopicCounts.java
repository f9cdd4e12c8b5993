package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * What a topic holds.
 *
 * @param available messages that may be claimed now
 * @param scheduled messages that wait until they are due
 * @param blocked messages that wait behind others with their ordering key
 * @param inFlight messages that a worker has claimed
 * @param dead dead letters
 * @param headSeconds for how long the one that is claimed next has waited; null if there is none
 */
record TopicCounts(
    Count available,
    Count scheduled,
    Count blocked,
    Count inFlight,
    Count dead,
    @Nullable Long headSeconds) {

  static final TopicCounts NONE =
      new TopicCounts(Count.NONE, Count.NONE, Count.NONE, Count.NONE, Count.NONE, null);

  /** How many are in the queue. */
  Count living() {
    return available.plus(scheduled).plus(blocked).plus(inFlight);
  }

  TopicCounts plus(TopicCounts other) {
    return new TopicCounts(
        available.plus(other.available),
        scheduled.plus(other.scheduled),
        blocked.plus(other.blocked),
        inFlight.plus(other.inFlight),
        dead.plus(other.dead),
        null);
  }
}
