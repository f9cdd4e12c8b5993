package io.rowqueue.worker.internal.plugin;

import com.google.inject.AbstractModule;
import com.google.inject.Binder;
import com.google.inject.Binding;
import com.google.inject.Inject;
import com.google.inject.Key;
import com.google.inject.Module;
import com.google.inject.Provider;
import com.google.inject.Singleton;
import com.google.inject.TypeLiteral;
import com.google.inject.matcher.Matcher;
import com.google.inject.spi.Dependency;
import com.google.inject.spi.HasDependencies;
import com.google.inject.spi.ProvisionListener;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.text.FailureText;
import io.rowqueue.worker.internal.plugin.Plugin.LoadingFault;
import io.rowqueue.worker.internal.plugin.PluginClassLoader.ContextLoader;
import io.rowqueue.worker.internal.plugin.PluginException.BrokenPlugin;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
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
   * Explains why classes cannot be loaded that are examined only when everything is set up, such as
   * the types in a handler's methods: the jar, and the remedy.
   */
  public String explain(LinkageError failure) {
    String name = String.valueOf(failure.getMessage()).replace('/', '.');
    return plugins.stream()
        .filter(plugin -> plugin.loader().missed(name))
        .map(
            plugin ->
                plugin.jar().getFileName() + ": " + LoadingFault.explain(failure, plugin.loader()))
        .findFirst()
        .orElseGet(failure::toString);
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

  /**
   * Sets a plug-in's loader as the context class loader while its objects are created and its
   * handlers run. Installed before the plug-ins, so that their own interceptors run inside.
   */
  private static final class PluginContextModule extends AbstractModule {

    @Override
    protected void configure() {
      HandlerBinder.intercept(binder(), InLoaderOfHandler.class);
      bindListener(new OfPlugin(), new InLoaderOfObject());
    }

    private static final class OfPlugin implements Matcher<Binding<?>> {
      @Override
      public boolean matches(Binding<?> binding) {
        return PluginClassLoader.of(rawType(binding.getKey())) != null;
      }
    }

    private static final class InLoaderOfObject implements ProvisionListener {
      @Override
      public <T> void onProvision(ProvisionInvocation<T> provision) {
        ClassLoader loader = rawType(provision.getBinding().getKey()).getClassLoader();
        ContextLoader.with(loader, provision::provision);
      }
    }

    @Singleton
    static final class InLoaderOfHandler implements HandlerInterceptor {

      private final Map<Topic, PluginClassLoader> loaders = new HashMap<>();

      @Inject
      InLoaderOfHandler(Set<HandlerBinding> bindings) {
        for (HandlerBinding binding : bindings) {
          PluginClassLoader loader = loaderOf(binding);
          if (loader != null) {
            loaders.put(binding.topic(), loader);
          }
        }
      }

      @Override
      public void intercept(HandlerContext context, Invocation next) throws Exception {
        ClassLoader loader = loaders.get(context.binding());
        if (loader == null) {
          next.proceed();
        } else {
          ContextLoader.with(loader, next::proceed);
        }
      }

      /**
       * A provider created by Guice has its key, so the class is found without creating a handler.
       */
      private static @Nullable PluginClassLoader loaderOf(HandlerBinding binding) {
        if (binding.handler() instanceof HasDependencies provider) {
          for (Dependency<?> dependency : provider.getDependencies()) {
            PluginClassLoader loader = PluginClassLoader.of(rawType(dependency.getKey()));
            if (loader != null) {
              return loader;
            }
          }
        }
        return null;
      }
    }

    /** Returns the class of the key; for a provider's key, the provided class. */
    private static Class<?> rawType(Key<?> key) {
      TypeLiteral<?> type = key.getTypeLiteral();
      if (type.getRawType() == Provider.class
          && type.getType() instanceof ParameterizedType provider) {
        return TypeLiteral.get(provider.getActualTypeArguments()[0]).getRawType();
      }
      return type.getRawType();
    }
  }
}
