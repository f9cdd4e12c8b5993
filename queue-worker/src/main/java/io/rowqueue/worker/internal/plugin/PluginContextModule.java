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
 * Sets a plug-in's loader as the context class loader while one of its objects is made and while
 * one of its handlers runs. Comes before the plug-ins, so that their own interceptors run inside.
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

    /** A provider that Guice gave out knows its key, so no handler is made to ask for its class. */
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

  /** The class that the key stands for; for a provider's key, the class that it provides. */
  private static Class<?> rawType(Key<?> key) {
    TypeLiteral<?> type = key.getTypeLiteral();
    if (type.getRawType() == Provider.class
        && type.getType() instanceof ParameterizedType provider) {
      return TypeLiteral.get(provider.getActualTypeArguments()[0]).getRawType();
    }
    return type.getRawType();
  }
}
