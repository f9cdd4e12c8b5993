package io.rowqueue.operate;

import java.time.Instant;

/**
 * Somebody wants a message cancelled that was claimed when he said so.
 *
 * @param askedAt when, by the database's clock
 * @param askedBy who, in his own words
 */
public record CancelWish(Instant askedAt, String askedBy) {}
