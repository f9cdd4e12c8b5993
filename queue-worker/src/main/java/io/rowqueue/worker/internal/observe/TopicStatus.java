package io.rowqueue.worker.internal.observe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one topic holds.
 *
 * @param topic its name, as it stands in the table (SQL can write names that no producer would)
 * @param available messages that may be claimed now
 * @param scheduled messages that wait until they are due
 * @param blocked messages that wait behind another one with their ordering key
 * @param inFlight messages that a worker has claimed and not settled
 * @param deadLetters messages that were set aside
 * @param oldestAvailable how long the available message that has been due longest has been due, or
 *     null if none is available
 */
public record TopicStatus(
    String topic,
    long available,
    long scheduled,
    long blocked,
    long inFlight,
    long deadLetters,
    @Nullable Duration oldestAvailable) {}
