package io.rowqueue.internal.depth;

/**
 * Marks the threads that handle messages. Back-pressure does not apply to messages that handlers
 * enqueue, because a full queue would stop its own workers and never drain.
 */
public final class HandlingThread {

  private static final ThreadLocal<Boolean> HANDLES = new ThreadLocal<>();

  private HandlingThread() {}

  /** Marks this thread. */
  public static void enter() {
    HANDLES.set(true);
  }

  /** Removes the mark from this thread. */
  public static void leave() {
    HANDLES.remove();
  }

  /** Whether this thread is marked. */
  public static boolean isCurrent() {
    return HANDLES.get() != null;
  }
}
