package io.rowqueue.internal.handle;

import java.time.Duration;

/**
 * Decides for one binding without a setting of its own whether its next handlings share a COMMIT,
 * and for how long a group goes on: they do while recent handlings were short, succeeded, and sent
 * nothing but reads and writes of rows. Thread-safe.
 *
 * <p>A handler that fails sometimes, or whose locks meet those of others, undoes its whole group.
 * So after each such group twice as many handlings must succeed alone before the next group.
 */
final class CommitPolicy {

  /** No more messages in one group: their locks and their deletion stay small. */
  static final int MAX_GROUP = 100;

  /** No message waits longer for the others of its group, unless a handler is suddenly slow. */
  static final Duration LONGEST_GROUP = Duration.ofMillis(15);

  /** Handlings that must succeed alone before the first group. */
  static final int FIRST_TRIAL = 32;

  static final int LONGEST_TRIAL = 4_096;

  /** A slower handler gains little, unless COMMITs are slow, too. */
  static final Duration SHORT_HANDLING = Duration.ofMillis(5);

  /**
   * A handler that is not short shares if a COMMIT of its own takes at least this part of its time,
   * as with many threads. On two cores with handlers of 10 ms that is 0.1 with 16 threads, and 0.8
   * to 0.9 with 64.
   */
  private static final double SLOW_COMMIT = 0.5;

  /** With this many times the COMMIT's time spent in handlers, a larger group gains under 10 %. */
  private static final int COMMITS_PER_GROUP = 10;

  private static final Duration SHORTEST_GROUP = Duration.ofMillis(2);

  /** The weight of a new measurement in the moving averages. */
  private static final double WEIGHT = 1.0 / 16;

  private boolean onlyRows = true;
  private int trial = FIRST_TRIAL;
  private int succeeded;
  private double handlingNanos;
  private double aloneCommitNanos;
  private double commitNanos = LONGEST_GROUP.toNanos();

  /** Whether the next messages should share a COMMIT, if several wait. */
  synchronized boolean shares() {
    return onlyRows && succeeded >= trial && (isShort() || isSlowedByCommits());
  }

  private boolean isSlowedByCommits() {
    return handlingNanos <= LONGEST_GROUP.toNanos()
        && aloneCommitNanos >= SLOW_COMMIT * handlingNanos;
  }

  /** Whether its handlings are so short that they are limited by processors or the server. */
  synchronized boolean isShort() {
    return handlingNanos <= SHORT_HANDLING.toNanos();
  }

  /**
   * Whether a group that has {@code messages}, the first of which was handled {@code nanos} ago,
   * takes another one.
   */
  synchronized boolean takesMore(int messages, long nanos) {
    long worthwhile = Math.max(SHORTEST_GROUP.toNanos(), (long) (COMMITS_PER_GROUP * commitNanos));
    long longest = Math.min(LONGEST_GROUP.toNanos(), worthwhile);
    return messages < MAX_GROUP && nanos + (long) handlingNanos < longest;
  }

  /**
   * Records a message that had a COMMIT of its own.
   *
   * @param nanos the time of the handler alone
   * @param commit the time of the deletion and the COMMIT
   */
  synchronized void ackedAlone(long nanos, long commit) {
    measure(nanos);
    aloneCommitNanos += (commit - aloneCommitNanos) * WEIGHT;
    succeeded = Math.min(succeeded + 1, LONGEST_TRIAL);
  }

  /** Records a message that was handled by itself and not acked. */
  synchronized void failedAlone() {
    succeeded = 0;
  }

  /** Records one handling in a group, by the time of the handler alone. */
  synchronized void handledInGroup(long nanos) {
    measure(nanos);
  }

  /** Records a group that was committed whole; {@code nanos} for its deletion and COMMIT. */
  synchronized void committed(int messages, long nanos) {
    commitNanos += (nanos - commitNanos) * WEIGHT;
    trial = Math.max(FIRST_TRIAL, trial - messages / 8);
  }

  /** Records a group in which a handling failed, or that was rolled back. */
  synchronized void disturbed() {
    succeeded = 0;
    trial = Math.min(2 * trial, LONGEST_TRIAL);
  }

  /**
   * The handler has sent a statement that may end a transaction or names a savepoint: in a group
   * that ends the group early, so it never shares again in this process.
   */
  synchronized void sentMoreThanRows() {
    onlyRows = false;
  }

  private void measure(long nanos) {
    handlingNanos += (nanos - handlingNanos) * WEIGHT;
  }
}
