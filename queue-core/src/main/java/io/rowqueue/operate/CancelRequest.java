package io.rowqueue.operate;

import java.time.Instant;

/**
 * Somebody wants a message cancelled that was claimed when he said so.
 *
 * @param requestedAt when, by the database's clock
 * @param requestedBy who, in his own words
 */
public record CancelRequest(Instant requestedAt, String requestedBy) {}
