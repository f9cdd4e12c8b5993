package io.rowqueue.internal.handle;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Everything of its thread that a handler can change and the next one would find.
 *
 * @param log the log context; null if it is empty
 */
record ThreadState(
    @Nullable Map<String, String> log, String name, int priority, @Nullable ClassLoader classes) {

  /** That of this thread, before a handler is called. */
  static ThreadState save() {
    Thread thread = Thread.currentThread();
    return new ThreadState(
        MDC.getCopyOfContextMap(),
        thread.getName(),
        thread.getPriority(),
        thread.getContextClassLoader());
  }

  /** Makes this thread what it was. */
  @SuppressWarnings("ThreadPriorityCheck") // it gets back what it had
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
