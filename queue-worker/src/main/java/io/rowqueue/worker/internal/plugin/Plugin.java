package io.rowqueue.worker.internal.plugin;

import com.google.inject.Module;
import io.rowqueue.worker.internal.plugin.PluginClassLoader.ContextLoader;
import io.rowqueue.worker.internal.plugin.PluginException.BrokenPlugin;
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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

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

  /** Explains why a plug-in's classes cannot be loaded, and the remedy for its author. */
  static final class LoadingFault {

    private static final Pattern NOT_FOUND = Pattern.compile("(\\S+) not found");
    private static final Pattern NO_MODULE = Pattern.compile("(\\S+) not a subtype");
    private static final Pattern CLASS_FILE = Pattern.compile("class file version (\\d+)\\.");

    /** Java 17's class files have version 61, and each release adds one. */
    private static final int CLASS_FILE_OF_JAVA_0 = 44;

    private LoadingFault() {}

    static String explain(Throwable failure, PluginClassLoader loader) {
      if (failure instanceof UnsupportedClassVersionError newer) {
        return tooNew(newer);
      }
      if (failure instanceof ExceptionInInitializerError initializer) {
        return "one of its classes fails to initialize: " + textOf(rootOf(initializer));
      }
      if (failure instanceof LinkageError error) {
        return linkage(error, loader);
      }
      Throwable cause = failure.getCause();
      if (cause instanceof LinkageError error) {
        return explain(error, loader);
      }
      return failure instanceof ServiceConfigurationError error ? service(error) : textOf(failure);
    }

    private static String tooNew(UnsupportedClassVersionError error) {
      int running = Runtime.version().feature();
      Matcher version = CLASS_FILE.matcher(String.valueOf(error.getMessage()));
      String made =
          version.find()
              ? "Java " + (Integer.parseInt(version.group(1)) - CLASS_FILE_OF_JAVA_0)
              : "a newer Java";
      return "it is compiled for %s and this worker runs on Java %d; compile it with --release %d, or run the worker on the newer Java"
          .formatted(made, running, running);
    }

    private static String linkage(LinkageError error, PluginClassLoader loader) {
      String name = String.valueOf(error.getMessage()).replace('/', '.');
      if (error instanceof NoClassDefFoundError) {
        return loader.holds(name)
            ? "class %s could not be initialized".formatted(name)
            : "class %s is not in the jar; bundle its library (a plug-in sees only RowQueue, Guice, jOOQ, SLF4J and the JDK of the worker)"
                .formatted(name);
      }
      return "its classes are incompatible with this worker (%s); build it against this version of RowQueue"
          .formatted(textOf(error));
    }

    private static String service(ServiceConfigurationError error) {
      String message =
          String.valueOf(error.getMessage()).replace(Module.class.getName() + ": ", "");
      String missing = firstGroup(NOT_FOUND, message);
      if (missing != null) {
        return "%s names class %s, which is not in the jar; correct the name, or rebuild the jar"
            .formatted(Plugin.SERVICE_FILE, missing);
      }
      String stranger = firstGroup(NO_MODULE, message);
      if (stranger != null) {
        return "%s names class %s, which is not a %s; name the Guice module there"
            .formatted(Plugin.SERVICE_FILE, stranger, Module.class.getName());
      }
      return error.getCause() == null ? message : instantiation(message, error.getCause());
    }

    private static String instantiation(String message, Throwable cause) {
      if (cause instanceof NoSuchMethodException || message.contains("Unable to get public")) {
        return message + "; a module needs a public constructor without parameters";
      }
      return message + ": its constructor threw " + textOf(cause);
    }

    private static @Nullable String firstGroup(Pattern pattern, String text) {
      Matcher matcher = pattern.matcher(text);
      return matcher.find() ? matcher.group(1) : null;
    }

    private static Throwable rootOf(Throwable failure) {
      Throwable root = failure;
      while (root.getCause() != null) {
        root = root.getCause();
      }
      return root;
    }

    private static String textOf(Throwable failure) {
      String message = failure.getMessage();
      return message == null
          ? failure.getClass().getName()
          : failure.getClass().getName() + ": " + message;
    }
  }
}
