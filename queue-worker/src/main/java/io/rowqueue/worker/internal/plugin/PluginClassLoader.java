package io.rowqueue.worker.internal.plugin;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The classes of one plug-in jar. Thread-safe.
 *
 * <p>A class of a shared package comes from the worker, and from the jar only if the worker lacks
 * it (a team may well put a handler into a package below {@code io.rowqueue}). The JDK's come from
 * the JDK. Every other class, and every resource, comes from the jar alone, so that the worker's
 * own libraries and their service files cannot be seen from it, and two plug-ins may bring two
 * versions of one library.
 */
final class PluginClassLoader extends URLClassLoader {

  /**
   * What both sides must have the same class of: the API that a handler sees, and what that API is
   * made of in turn.
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

  /** For {@code jar}, at {@code url}; the worker's classes are those of {@code worker}. */
  PluginClassLoader(Path jar, URL url, ClassLoader worker) {
    super(jar.getFileName().toString(), new URL[] {url}, ClassLoader.getPlatformClassLoader());
    this.jar = jar;
    this.worker = worker;
  }

  Path jar() {
    return jar;
  }

  /** Whether the jar itself holds the class of that name. */
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

  /** The jar's own loader, if {@code type} comes from a plug-in; otherwise null. */
  static @Nullable PluginClassLoader of(Class<?> type) {
    return type.getClassLoader() instanceof PluginClassLoader loader ? loader : null;
  }
}
