package io.rowqueue;

import java.time.Duration;
import java.time.Instant;

/**
 * How full a topic was found.
 *
 * @param full whether it was over its limit
 * @param depth how many of its messages waited, counted up to the limit and one more
 * @param oldest for how long the oldest had waited, to the second
 * @param sampledAt when, by the server's clock
 */
public record DepthSample(boolean full, long depth, Duration oldest, Instant sampledAt) {}
