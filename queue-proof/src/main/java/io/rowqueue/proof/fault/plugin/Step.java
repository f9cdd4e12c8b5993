package io.rowqueue.proof.fault.plugin;

/**
 * A step of a chain.
 *
 * @param chain as its producer calls it
 * @param number from 1
 */
public record Step(String chain, int number) {}
