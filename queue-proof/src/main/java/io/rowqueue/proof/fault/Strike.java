package io.rowqueue.proof.fault;

import java.util.Set;

/**
 * A fault that struck, and what it may explain: that a message was handled more than once.
 *
 * @param from {@link System#nanoTime} before it struck
 * @param to the same when it was healed
 * @param victims the processes that it hit; empty if it hit all
 */
record Strike(long from, long to, Set<Long> victims) {

  /** Whether it hit {@code pid} between two moments. */
  boolean hit(long pid, long after, long before) {
    return (victims.isEmpty() || victims.contains(pid)) && to >= after && from <= before;
  }
}
