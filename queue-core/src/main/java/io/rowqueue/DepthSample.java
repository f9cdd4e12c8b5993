package io.rowqueue;

import java.time.Duration;
import java.time.Instant;

/**
 * A sample of a topic's depth.
 *
 * @param full whether it was over its limit
 * @param depth how many of its messages waited, counted up to the limit plus one
 * @param oldest how long the oldest had waited, to the second
 * @param sampledAt the time of the sample, by the server's clock
 */
public record DepthSample(boolean full, long depth, Duration oldest, Instant sampledAt) {}
