package io.rowqueue.worker.plugin;

import com.google.inject.Module;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;

/**
 * The handler plug-ins of one directory. Each jar names its Guice modules in {@code
 * META-INF/services/com.google.inject.Module}. Not thread-safe; loaded once, at the start.
 */
public final class Plugins implements AutoCloseable {

  private static final String SERVICE = "META-INF/services/" + Module.class.getName();

  private final List<PluginClassLoader> loaders = new ArrayList<>();
  private final List<Module> modules = new ArrayList<>();
  private final List<String> broken = new ArrayList<>();

  private Plugins() {}

  /**
   * Loads every jar of {@code directory}, in the order of their names. Other files are passed over.
   *
   * @throws PluginException if the directory cannot be read, holds no jar, or any jar is broken;
   *     the message names every broken one
   */
  public static Plugins load(Path directory) {
    Plugins plugins = new Plugins();
    List<Path> jars = jars(directory);
    if (jars.isEmpty()) {
      throw new PluginException(
          "the handlers' directory %s holds no jar; put the jar of your handlers there"
              .formatted(directory));
    }
    jars.forEach(plugins::load1);
    if (!plugins.broken.isEmpty()) {
      plugins.close();
      throw new PluginException(
          "%d of %d handler jars cannot be loaded:%n  %s"
              .formatted(
                  plugins.broken.size(),
                  jars.size(),
                  String.join(System.lineSeparator() + "  ", plugins.broken)));
    }
    return plugins;
  }

  /** The Guice modules of all plug-ins; unmodifiable. */
  public List<Module> modules() {
    return List.copyOf(modules);
  }

  /** Closes the jars; classes that are not loaded yet can no longer be. */
  @Override
  public void close() {
    for (PluginClassLoader loader : loaders) {
      try {
        loader.close();
      } catch (IOException e) {
        broken.add(loader.getName() + ": " + e.getMessage());
      }
    }
  }

  private static List<Path> jars(Path directory) {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.toString().toLowerCase(Locale.ROOT).endsWith(".jar"))
          .filter(Files::isRegularFile)
          .sorted()
          .toList();
    } catch (IOException e) {
      throw new PluginException(
          "the handlers' directory %s cannot be read; create it, or name another with --handlers"
              .formatted(directory),
          e);
    }
  }

  private void load1(Path jar) {
    try {
      checkServiceFile(jar);
      PluginClassLoader loader =
          new PluginClassLoader(
              String.valueOf(jar.getFileName()), url(jar), Plugins.class.getClassLoader());
      loaders.add(loader);
      List<Module> found = new ArrayList<>();
      ServiceLoader.load(Module.class, loader).forEach(found::add);
      if (found.isEmpty()) {
        throw new PluginException("its " + SERVICE + " names no module");
      }
      modules.addAll(found);
    } catch (ServiceConfigurationError | LinkageError | RuntimeException | IOException e) {
      broken.add("%s: %s".formatted(jar.getFileName(), explain(e)));
    }
  }

  private static void checkServiceFile(Path jar) throws IOException {
    try (ZipFile zip = new ZipFile(jar.toFile())) {
      if (zip.getEntry(SERVICE) == null) {
        throw new PluginException(
            "it has no " + SERVICE + "; add that file with the name of your Guice module in it");
      }
    }
  }

  private static URL url(Path jar) throws MalformedURLException {
    return jar.toUri().toURL();
  }

  private static String explain(Throwable failure) {
    Throwable cause =
        failure instanceof ServiceConfigurationError && failure.getCause() != null
            ? failure.getCause()
            : failure;
    if (cause instanceof ZipException) {
      return "it is no jar, or only half of one (" + cause.getMessage() + "); copy it again";
    }
    if (cause instanceof UnsupportedClassVersionError) {
      return "it is compiled for a newer Java than this worker runs on ("
          + cause.getMessage()
          + ")";
    }
    if (cause instanceof NoClassDefFoundError) {
      return "class "
          + cause.getMessage()
          + " is missing; build the jar with its own libraries inside";
    }
    return cause instanceof PluginException || cause == failure
        ? String.valueOf(cause.getMessage())
        : cause.toString();
  }
}
