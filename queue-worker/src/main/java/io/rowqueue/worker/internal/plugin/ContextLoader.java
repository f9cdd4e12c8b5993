package io.rowqueue.worker.internal.plugin;

/**
 * Runs plug-in code with the plug-in's loader as the thread's context class loader, which is where
 * many libraries (Jakarta Mail, JAXB, JAX-RS clients) look for their providers.
 */
final class ContextLoader {

  private ContextLoader() {}

  static <E extends Exception> void with(ClassLoader loader, Work<E> work) throws E {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(loader);
    try {
      work.run();
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  /** The code to run. */
  @FunctionalInterface
  interface Work<E extends Exception> {
    void run() throws E;
  }
}
