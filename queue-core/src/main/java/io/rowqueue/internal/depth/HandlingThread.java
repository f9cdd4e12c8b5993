package io.rowqueue.internal.depth;

/**
 * Marks the threads that handle messages. Back-pressure does not apply to messages that handlers
 * enqueue, because a full queue would stop its own workers and never drain.
 */
public final class HandlingThread {

  private static final ThreadLocal<Boolean> HANDLES = new ThreadLocal<>();

  private HandlingThread() {}

  /** This thread handles messages from now on. */
  public static void enter() {
    HANDLES.set(true);
  }

  /** This thread has stopped handling messages. */
  public static void leave() {
    HANDLES.remove();
  }

  /** Whether this thread handles messages. */
  public static boolean isCurrent() {
    return HANDLES.get() != null;
  }
}
