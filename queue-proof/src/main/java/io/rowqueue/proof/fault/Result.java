package io.rowqueue.proof.fault;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a run of a scenario came to.
 *
 * @param faults how often it struck
 * @param removed messages that operators took out
 * @param lost committed messages that are nowhere
 * @param doubled transactional effects that happened twice or apart from their message's deletion
 * @param again external effects that happened again, each explained by a fault
 * @param refused producers' transactions that failed
 * @param deadlocks that the server counted
 * @param slowest the longest that claims of before a fault lived on; null if nothing struck
 * @param slowestStop of a worker that was told to; null if none was
 * @param findings broken promises; empty if none
 */
record Result(
    Scenario scenario,
    int faults,
    long messages,
    long effects,
    long deadLetters,
    long removed,
    int lost,
    int doubled,
    int again,
    long refused,
    long deadlocks,
    @Nullable Duration slowest,
    @Nullable Duration slowestStop,
    Duration took,
    List<String> findings) {

  boolean isGood() {
    return findings.isEmpty();
  }
}
