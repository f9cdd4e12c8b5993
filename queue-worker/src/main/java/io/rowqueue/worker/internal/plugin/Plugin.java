package io.rowqueue.worker.internal.plugin;

import com.google.inject.Module;
import java.io.Closeable;
import java.io.IOException;
import java.net.MalformedURLException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.jar.JarFile;

/**
 * A loaded plug-in: a jar and its Guice modules. Immutable and thread-safe.
 *
 * @param loader the jar's class loader
 * @param modules in the order of the service file; never empty
 */
record Plugin(PluginClassLoader loader, List<Module> modules) implements Closeable {

  static final String SERVICE_FILE = "META-INF/services/" + Module.class.getName();

  Plugin {
    modules = List.copyOf(modules);
  }

  /** Loads the plug-in {@code jar}; closes the class loader if that fails. */
  static Plugin load(Path jar) throws BrokenPlugin {
    check(jar);
    PluginClassLoader loader = open(jar);
    try {
      return new Plugin(loader, modules(loader));
    } catch (BrokenPlugin e) {
      closeQuietly(loader, e);
      throw e;
    }
  }

  Path jar() {
    return loader.jar();
  }

  @Override
  public void close() throws IOException {
    loader.close();
  }

  private static void check(Path jar) throws BrokenPlugin {
    try (JarFile file = new JarFile(jar.toFile())) {
      if (file.getEntry(SERVICE_FILE) == null) {
        throw new BrokenPlugin(
            jar,
            "it has no %s, so it is not a handler plug-in; add that file with the name of its Guice module, or move the jar"
                .formatted(SERVICE_FILE),
            null);
      }
    } catch (AccessDeniedException e) {
      throw unreadable(jar, e);
    } catch (IOException e) {
      throw Files.exists(jar) && !Files.isReadable(jar)
          ? unreadable(jar, e)
          : new BrokenPlugin(
              jar,
              "it cannot be opened as a jar (%s); it may be truncated, so copy it again"
                  .formatted(e.getMessage()),
              e);
    }
  }

  private static BrokenPlugin unreadable(Path jar, IOException cause) {
    return new BrokenPlugin(
        jar, "the worker's account cannot read it; change its permissions", cause);
  }

  private static PluginClassLoader open(Path jar) throws BrokenPlugin {
    try {
      return new PluginClassLoader(jar, jar.toUri().toURL(), Plugin.class.getClassLoader());
    } catch (MalformedURLException e) {
      throw new BrokenPlugin(jar, "its path cannot be written as a URL: " + e.getMessage(), e);
    }
  }

  private static List<Module> modules(PluginClassLoader loader) throws BrokenPlugin {
    List<Module> modules = new ArrayList<>();
    try {
      ContextLoader.with(
          loader,
          () -> {
            Iterator<Module> found = ServiceLoader.load(Module.class, loader).iterator();
            found.forEachRemaining(modules::add);
          });
    } catch (ServiceConfigurationError | LinkageError e) {
      throw new BrokenPlugin(loader.jar(), LoadingFault.explain(e, loader), e);
    }
    if (modules.isEmpty()) {
      throw new BrokenPlugin(
          loader.jar(),
          SERVICE_FILE + " names no class; write the Guice module's name there",
          null);
    }
    return modules;
  }

  private static void closeQuietly(PluginClassLoader loader, BrokenPlugin reason) {
    try {
      loader.close();
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }
}
