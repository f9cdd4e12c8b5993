package io.rowqueue.internal.claim;

/**
 * An available message as a claim found it, without a lock: somebody else may be faster.
 *
 * @param id of the message
 * @param priority of the message
 * @param claims its claim number; whoever claims it raises it
 * @param lost how many of its claims were lost
 */
public record Candidate(long id, byte priority, int claims, int lost) {}
