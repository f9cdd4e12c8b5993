package io.rowqueue.worker.internal.observe;

import io.rowqueue.internal.claim.QueueCounts;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The counts of one topic.
 *
 * @param topic its name in the table (SQL can write names that producers reject)
 * @param available messages that can be claimed now
 * @param scheduled messages that are due later
 * @param blocked messages behind their ordering key
 * @param inFlight messages claimed and not settled
 * @param deadLetters dead-lettered messages
 * @param oldestAvailable how long the oldest available message has waited since it was due; null if
 *     none is available
 */
public record TopicStatus(
    String topic,
    long available,
    long scheduled,
    long blocked,
    long inFlight,
    long deadLetters,
    @Nullable Duration oldestAvailable) {

  static TopicStatus of(String topic, QueueCounts.TopicCounts counts) {
    return new TopicStatus(
        topic,
        counts.available().number(),
        counts.scheduled().number(),
        counts.blocked().number(),
        counts.inFlight().number(),
        counts.deadLetters().number(),
        counts.oldest());
  }
}
