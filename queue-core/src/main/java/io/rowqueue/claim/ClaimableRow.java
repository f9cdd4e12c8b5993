package io.rowqueue.claim;

import java.time.Instant;

/**
 * A row of the hot table as a claim reads it.
 *
 * @param id of the message
 * @param priority of the message
 * @param claims its claim number
 * @param attempts failed handlings so far
 * @param lost how many of its claims were lost
 * @param createdAt when it was enqueued
 * @param dueLater whether its due time lies ahead
 * @param body payload and headers, if they are small
 */
record ClaimableRow(
    long id,
    byte priority,
    int claims,
    int attempts,
    int lost,
    Instant createdAt,
    boolean dueLater,
    Body body) {}
