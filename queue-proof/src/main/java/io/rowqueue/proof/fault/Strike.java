package io.rowqueue.proof.fault;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A fault that struck, and what it may explain: that a message was handled more than once.
 *
 * @param from {@link System#nanoTime} before it struck
 * @param to the same when it was healed
 * @param victims the processes that it hit; empty if it hit all
 */
record Strike(long from, long to, Set<Long> victims) {

  /**
   * A victim may go on with what it lost until its sockets give up, a minute and a half at most.
   */
  private static final long AFTERMATH_OF_A_VICTIM_NANOS = TimeUnit.SECONDS.toNanos(90);

  /** Of the server's faults, until stale connections are gone from the pools. */
  private static final long AFTERMATH_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** Of a victim's, until the transaction that it stood still in has ended. */
  private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Whether it hit {@code pid} between two moments, or had a bearing on it still. */
  boolean hit(long pid, long after, long before) {
    long aftermath = victims.isEmpty() ? AFTERMATH_NANOS : AFTERMATH_OF_A_VICTIM_NANOS;
    boolean isVictim = victims.isEmpty() || victims.contains(pid);
    return isVictim && to + aftermath >= after && from <= before;
  }

  /**
   * Whether a transaction of before it, or one that waited for that one's locks, may have been
   * committed at {@code moment}, whoever then works by what it says.
   */
  boolean heldUpUntil(long moment) {
    boolean hitSomebody = !victims.equals(Fault.NOBODY);
    return hitSomebody && from <= moment && to + HELD_UP_NANOS >= moment;
  }
}
