package io.rowqueue.worker.internal.plugin;

import com.google.inject.Binder;
import com.google.inject.Module;

/** A plug-in's module, configured with its class loader; loading failures become Guice errors. */
final class PluginModule implements Module {

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
          loader.jar().getFileName(), module.getClass().getName(), LoadingFault.explain(e, loader));
    }
  }

  /** Returns module and jar, for logs. */
  @Override
  public String toString() {
    return module.getClass().getName() + " of " + loader.jar().getFileName();
  }
}
