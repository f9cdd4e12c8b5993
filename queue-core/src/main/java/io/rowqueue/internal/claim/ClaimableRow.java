package io.rowqueue.internal.claim;

import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A row of the hot table as a claim reads it.
 *
 * @param id of the message
 * @param priority of the message
 * @param claims its claim number
 * @param attempts failed handlings so far
 * @param lost how many of its claims were lost
 * @param createdAt when it was enqueued
 * @param delay how long after that it was due; zero if at once or earlier
 * @param dueLater whether its due time is in the future
 * @param orderingKey the ordering key; null if it has none
 * @param batchId its batch shard or negated chain id; null if it has neither
 * @param body payload and headers, if they are small
 */
record ClaimableRow(
    long id,
    byte priority,
    int claims,
    int attempts,
    int lost,
    Instant createdAt,
    Duration delay,
    boolean dueLater,
    @Nullable String orderingKey,
    @Nullable Long batchId,
    Body body) {}
