package io.rowqueue.worker.internal.plugin;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The class loader of one plug-in jar. Thread-safe.
 *
 * <p>Classes of shared packages come from the worker, and from the jar only if the worker lacks
 * them (a handler may be in a package below {@code io.rowqueue}). JDK classes come from the JDK.
 * All other classes, and all resources, come only from the jar, so that plug-ins cannot see the
 * worker's own libraries and their service files, and two plug-ins may use different versions of a
 * library.
 */
final class PluginClassLoader extends URLClassLoader {

  /**
   * Packages whose classes must be identical on both sides: the handler API and the libraries in
   * its signatures.
   */
  private static final List<String> SHARED =
      List.of(
          "io.rowqueue.",
          "com.google.inject.",
          "com.google.common.",
          "com.google.crypto.tink.",
          "jakarta.inject.",
          "org.aopalliance.",
          "org.jooq.",
          "org.reactivestreams.",
          "io.opentelemetry.api.",
          "io.opentelemetry.context.",
          "io.r2dbc.spi.",
          "org.slf4j.",
          "org.jspecify.",
          "io.github.resilience4j.core.",
          "com.fasterxml.jackson.annotation.");

  static {
    registerAsParallelCapable();
  }

  private final Path jar;
  private final ClassLoader worker;
  private final Set<String> missing = ConcurrentHashMap.newKeySet();

  /** Creates a loader for {@code jar} at {@code url}; shared classes come from {@code worker}. */
  PluginClassLoader(Path jar, URL url, ClassLoader worker) {
    super(jar.getFileName().toString(), new URL[] {url}, ClassLoader.getPlatformClassLoader());
    this.jar = jar;
    this.worker = worker;
  }

  Path jar() {
    return jar;
  }

  boolean holds(String className) {
    return findResource(className.replace('.', '/') + ".class") != null;
  }

  @Override
  protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
    if (SHARED.stream().anyMatch(name::startsWith)) {
      try {
        return worker.loadClass(name);
      } catch (ClassNotFoundException e) {
        return super.loadClass(name, resolve);
      }
    }
    return super.loadClass(name, resolve);
  }

  /** Notes what is missing: the error that follows names neither the jar nor its loader. */
  @Override
  protected Class<?> findClass(String name) throws ClassNotFoundException {
    try {
      return super.findClass(name);
    } catch (ClassNotFoundException e) {
      missing.add(name);
      throw e;
    }
  }

  /** Whether this class was looked for in the jar, and not found. */
  boolean missed(String className) {
    return missing.contains(className);
  }

  /** Returns the plug-in's loader, if {@code type} comes from a plug-in; otherwise null. */
  static @Nullable PluginClassLoader of(Class<?> type) {
    return type.getClassLoader() instanceof PluginClassLoader loader ? loader : null;
  }

  /**
   * Runs plug-in code with the plug-in's loader as the thread's context class loader, which is
   * where many libraries (Jakarta Mail, JAXB, JAX-RS clients) look for their providers.
   */
  static final class ContextLoader {

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

    @FunctionalInterface
    interface Work<E extends Exception> {
      void run() throws E;
    }
  }
}
