package io.rowqueue.proof.fault.plugin;

/**
 * What a handler adds to its batch, as that handling alone knows it: whose transaction is rolled
 * back has added nothing.
 *
 * @param token of this part, and of no other
 */
public record Part(String token) {}
