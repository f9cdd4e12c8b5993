/**
 * Plays random interleavings of producers, workers, reapers, operators and the clock on the real
 * protocol and on a small model of it, and compares every table after every step.
 */
@org.jspecify.annotations.NullMarked
package io.rowqueue.proof.model;
