package io.rowqueue.worker.internal.dashboard;

import org.jspecify.annotations.Nullable;

/**
 * The counts of a topic.
 *
 * @param available messages that can be claimed now
 * @param scheduled messages that are due later
 * @param blocked messages behind their ordering key
 * @param inFlight messages claimed by a worker
 * @param dead dead letters
 * @param headSeconds age of the next message to be claimed, in seconds; null if there is none
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

  /** Returns the number of messages in the queue. */
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
