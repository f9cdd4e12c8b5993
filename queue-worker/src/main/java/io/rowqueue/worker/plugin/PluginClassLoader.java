package io.rowqueue.worker.plugin;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A plug-in's own world: its jar and the JDK, and from the worker only the API that both must
 * share. The worker's inner libraries are out of sight, so a plug-in may bring other versions of
 * them.
 */
final class PluginClassLoader extends URLClassLoader {

  static {
    registerAsParallelCapable();
  }

  /**
   * What both sides must see as the same class: RowQueue itself, and the libraries whose types its
   * API shows. A name that the worker does not have is looked for in the jar, so that a plug-in may
   * live in a package below one of these.
   */
  private static final List<String> SHARED =
      List.of(
          "io.rowqueue.",
          "com.google.inject.",
          "com.google.common.",
          "jakarta.inject.",
          "org.aopalliance.",
          "org.jooq.",
          "org.reactivestreams.",
          "io.r2dbc.",
          "org.slf4j.",
          "org.jspecify.",
          "io.github.resilience4j.core.",
          "com.fasterxml.jackson.annotation.");

  private final ClassLoader worker;

  PluginClassLoader(String name, URL jar, ClassLoader worker) {
    super(name, new URL[] {jar}, ClassLoader.getPlatformClassLoader());
    this.worker = worker;
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

  /** Only the jar's: a service that the worker's libraries register is none of the plug-in's. */
  @Override
  public Enumeration<URL> getResources(String name) throws IOException {
    return findResources(name);
  }

  @Override
  public @Nullable URL getResource(String name) {
    return findResource(name);
  }
}
