package io.rowqueue.proof.fault;

import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * A fault that was injected, and the window in which it explains that a message was handled more
 * than once, or that a limit was exceeded. No transactional effect is ever explained by a fault.
 *
 * <p>The window ends when the cluster was seen to have recovered: when each claim that was in
 * flight at the injection had been settled or reaped; and not before the {@link Scenario.Step}'s
 * own aftermath. All times are {@link System#nanoTime}, one clock for all processes of a host.
 *
 * @param fault the name of the fault
 * @param from before it was injected
 * @param healed when it was healed
 * @param until the end of the window
 * @param victims the processes that it hit: {@link #EVERYBODY}, {@link #NOBODY} or some
 */
record Injection(String fault, long from, long healed, long until, Set<Long> victims) {

  /** It hit every process. */
  static final Set<Long> EVERYBODY = Set.of();

  /** It hit no process: it explains nothing. */
  static final Set<Long> NOBODY = Set.of(0L);

  /** Until a transaction that a victim held open has ended. */
  private static final long HELD_UP_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Whether its window for {@code pid} has to do with the time between two moments. */
  boolean hit(long pid, long after, long before) {
    boolean isVictim = victims.isEmpty() || victims.contains(pid);
    return isVictim && until >= after && from <= before;
  }

  /**
   * Whether a transaction of before it, or one that waited for that one's locks, may have been
   * committed at {@code moment}: any process may then act on what it says.
   */
  boolean heldUpUntil(long moment) {
    return !victims.equals(NOBODY) && from <= moment && healed + HELD_UP_NANOS >= moment;
  }
}
