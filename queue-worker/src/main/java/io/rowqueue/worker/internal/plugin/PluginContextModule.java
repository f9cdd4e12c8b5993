package io.rowqueue.worker.internal.plugin;

import com.google.inject.AbstractModule;
import com.google.inject.Binding;
import com.google.inject.Inject;
import com.google.inject.Key;
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
import java.lang.reflect.ParameterizedType;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sets a plug-in's loader as the context class loader while its objects are created and its
 * handlers run. Installed before the plug-ins, so that their own interceptors run inside.
 */
final class PluginContextModule extends AbstractModule {

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
