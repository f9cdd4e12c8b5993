package io.rowqueue.internal.claim;

/**
 * An available message that was read without a lock: another worker may claim it first.
 *
 * @param id of the message
 * @param priority of the message
 * @param claims its claim number, which a claim increments
 * @param lost how many of its claims were lost
 */
public record Candidate(long id, byte priority, int claims, int lost) {}
