package io.rowqueue.internal.depth;

/**
 * Marks the threads that handle messages: what handlers enqueue is not refused, or a full queue
 * would stop its own workers and never get empty.
 */
public final class HandlingThread {

  private static final ThreadLocal<Boolean> HANDLES = new ThreadLocal<>();

  private HandlingThread() {}

  /** This thread handles messages from now on. */
  public static void enter() {
    HANDLES.set(true);
  }

  /** No more. */
  public static void leave() {
    HANDLES.remove();
  }

  /** Whether this thread handles messages. */
  public static boolean isCurrent() {
    return HANDLES.get() != null;
  }
}
