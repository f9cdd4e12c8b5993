package io.rowqueue.internal.handle;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * The state of a thread that a handler can change and that would affect the next handler.
 *
 * @param log the log context; null if it is empty
 */
record ThreadState(
    @Nullable Map<String, String> log, String name, int priority, @Nullable ClassLoader classes) {

  /** The state of this thread, before a handler is called. */
  static ThreadState save() {
    Thread thread = Thread.currentThread();
    return new ThreadState(
        MDC.getCopyOfContextMap(),
        thread.getName(),
        thread.getPriority(),
        thread.getContextClassLoader());
  }

  /** Restores this thread's state. */
  @SuppressWarnings("ThreadPriorityCheck") // restores the saved priority
  void restore() {
    Thread thread = Thread.currentThread();
    if (log == null) {
      MDC.clear();
    } else {
      MDC.setContextMap(log);
    }
    if (!thread.getName().equals(name)) {
      thread.setName(name);
    }
    if (thread.getPriority() != priority) {
      thread.setPriority(priority);
    }
    if (thread.getContextClassLoader() != classes) {
      thread.setContextClassLoader(classes);
    }
  }
}
