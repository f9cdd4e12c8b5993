package io.rowqueue.worker.internal.plugin;

import com.google.inject.Binder;
import com.google.inject.Module;
import io.rowqueue.internal.text.FailureText;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The handler plug-ins of one directory: every {@code *.jar} in it, by name. Other files, hidden
 * files and directories are ignored.
 *
 * <p>Jars stay open while they are in use. Replace one by renaming a new file over it, or stop the
 * worker first; overwriting a jar in place breaks classes that are not loaded yet.
 *
 * <p>Immutable and thread-safe. Close it after the worker, since handlers load classes while they
 * run.
 */
public final class Plugins implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(Plugins.class);

  private final List<Plugin> plugins;

  private Plugins(List<Plugin> plugins) {
    this.plugins = List.copyOf(plugins);
  }

  /**
   * Loads every plug-in of {@code directory}.
   *
   * @throws PluginException if the directory is missing, cannot be read or has no jar (a worker
   *     without a handler would only seem to work), or if any jar is broken; the message names all
   *     of them, and none stays open
   */
  public static Plugins load(Path directory) {
    List<Plugin> loaded = new ArrayList<>();
    List<BrokenPlugin> broken = new ArrayList<>();
    for (Path jar : jars(directory)) {
      try {
        loaded.add(Plugin.load(jar));
      } catch (BrokenPlugin e) {
        broken.add(e);
      }
    }
    Plugins plugins = new Plugins(loaded);
    if (!broken.isEmpty()) {
      plugins.close();
      throw new PluginException(broken);
    }
    plugins.log();
    return plugins;
  }

  /** Returns the Guice modules to install: the plug-ins', and one that sets their class loaders. */
  public List<Module> modules() {
    List<Module> modules = new ArrayList<>();
    modules.add(new PluginContextModule());
    for (Plugin plugin : plugins) {
      plugin.modules().forEach(each -> modules.add(new PluginModule(plugin.loader(), each)));
    }
    return List.copyOf(modules);
  }

  /** Returns the jars in the order of loading. */
  public List<Path> jars() {
    return plugins.stream().map(Plugin::jar).toList();
  }

  /**
   * Returns the jar with the class {@code className}, for error messages; empty if there is none.
   * If several have it, the first.
   */
  public Optional<Path> jarOf(String className) {
    return plugins.stream()
        .filter(plugin -> plugin.loader().holds(className))
        .map(Plugin::jar)
        .findFirst();
  }

  /** Closes every jar. Idempotent. */
  @Override
  public void close() {
    for (Plugin plugin : plugins) {
      try {
        plugin.close();
      } catch (IOException e) {
        LOG.warn(
            "{} could not be closed; the worker continues: {}", plugin.jar(), FailureText.of(e));
      }
    }
  }

  private void log() {
    for (Plugin plugin : plugins) {
      LOG.info(
          "plug-in {} provides {}",
          plugin.jar().getFileName(),
          plugin.modules().stream().map(module -> module.getClass().getName()).toList());
    }
  }

  private static List<Path> jars(Path directory) {
    if (!Files.isDirectory(directory)) {
      throw new PluginException(
          Files.exists(directory)
              ? "%s is a file; name the directory that holds the handler jars".formatted(directory)
              : "the handlers' directory %s does not exist; create it with the handler jars, or name another"
                  .formatted(directory.toAbsolutePath()));
    }
    List<Path> jars = new ArrayList<>();
    try (DirectoryStream<Path> found = Files.newDirectoryStream(directory, Plugins::isJar)) {
      found.forEach(jars::add);
    } catch (IOException | java.nio.file.DirectoryIteratorException e) {
      throw new PluginException(
          "the handlers' directory %s cannot be read (%s); let the worker's account read it"
              .formatted(directory.toAbsolutePath(), e.getMessage()));
    }
    if (jars.isEmpty()) {
      throw new PluginException(
          "the handlers' directory %s has no *.jar, so there are no handlers; put the handler jars into it"
              .formatted(directory.toAbsolutePath()));
    }
    jars.sort(Comparator.comparing(jar -> jar.getFileName().toString()));
    return jars;
  }

  private static boolean isJar(Path path) {
    String name = path.getFileName().toString();
    return name.endsWith(".jar") && !name.startsWith(".") && !Files.isDirectory(path);
  }

  /**
   * A plug-in's own module, run in its class loader; what it cannot load becomes an error of it.
   */
  private static final class PluginModule implements Module {

    private final PluginClassLoader loader;
    private final Module module;

    PluginModule(PluginClassLoader loader, Module module) {
      this.loader = loader;
      this.module = module;
    }

    @Override
    public void configure(Binder binder) {
      Binder here = binder.skipSources(PluginModule.class);
      try {
        ContextLoader.with(loader, () -> here.install(module));
      } catch (LinkageError e) {
        here.addError(
            "%s: %s: %s",
            loader.jar().getFileName(),
            module.getClass().getName(),
            LoadingFault.explain(e, loader));
      }
    }

    /** Which module of which jar, for logs. */
    @Override
    public String toString() {
      return module.getClass().getName() + " of " + loader.jar().getFileName();
    }
  }
}
