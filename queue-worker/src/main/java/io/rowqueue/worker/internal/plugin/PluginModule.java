package io.rowqueue.worker.internal.plugin;

import com.google.inject.Binder;
import com.google.inject.Module;

/** A plug-in's own module, run in its class loader; what it cannot load becomes an error of it. */
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

  /** Which module of which jar, for logs. */
  @Override
  public String toString() {
    return module.getClass().getName() + " of " + loader.jar().getFileName();
  }
}
