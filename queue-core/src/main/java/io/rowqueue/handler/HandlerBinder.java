package io.rowqueue.handler;

import com.google.inject.Binder;
import com.google.inject.Key;
import com.google.inject.TypeLiteral;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.Topic;
import io.rowqueue.internal.handle.HandlerBinding;
import io.rowqueue.internal.handle.HandlerKind;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;

/**
 * Binds handlers to topics in a Guice module, one line each:
 *
 * <pre>{@code
 * HandlerBinder.bind(binder(), "email.send", SendEmailHandler.class);
 * }</pre>
 */
public final class HandlerBinder {

  private HandlerBinder() {}

  /** Binds {@code handler} to {@code topic} with the worker's defaults. */
  public static void bind(Binder binder, String topic, Class<? extends Handler<?>> handler) {
    bind(binder, topic, handler, HandlerSettings.defaults());
  }

  /**
   * Binds {@code handler} to {@code topic} with settings of its own. An invalid topic or handler
   * type is reported as a configuration error of the module.
   */
  public static void bind(
      Binder binder, String topic, Class<? extends Handler<?>> handler, HandlerSettings settings) {
    bind(binder.skipSources(HandlerBinder.class), topic, Key.get(handler), settings);
  }

  /** Binds a handler that has a generic type or a binding annotation. */
  public static void bind(
      Binder binder, String topic, Key<? extends Handler<?>> handler, HandlerSettings settings) {
    Binder here = binder.skipSources(HandlerBinder.class);
    try {
      new HandlerBinding(
              new Topic(topic),
              here.getProvider(handler),
              HandlerKind.of(handler.getTypeLiteral().getRawType()),
              payloadType(handler.getTypeLiteral()),
              settings,
              handler.getTypeLiteral() + " (" + origin() + jar(handler) + ")")
          .addTo(here);
    } catch (RuntimeException e) {
      here.addError("cannot bind %s to topic '%s': %s", handler, topic, e.getMessage());
    }
  }

  /** Adds an interceptor around every handling; the first added is the outermost. */
  public static void intercept(Binder binder, Class<? extends HandlerInterceptor> interceptor) {
    Multibinder.newSetBinder(binder.skipSources(HandlerBinder.class), HandlerInterceptor.class)
        .addBinding()
        .to(interceptor);
  }

  private static Type payloadType(TypeLiteral<?> handler) {
    Type[] arguments =
        ((ParameterizedType) handler.getSupertype(Handler.class).getType())
            .getActualTypeArguments();
    if (arguments[0] instanceof TypeVariable<?>) {
      throw new IllegalArgumentException(
          "its payload type is the type variable "
              + arguments[0]
              + "; implement the handler for a concrete type, or bind a Key of one");
    }
    return plain(arguments[0]);
  }

  /** Guice represents every array type as generic, but codecs compare with {@code byte[].class}. */
  private static Type plain(Type type) {
    return type instanceof GenericArrayType array
            && array.getGenericComponentType() instanceof Class<?> component
        ? component.arrayType()
        : type;
  }

  /** A plug-in's class loader is named after its jar; two jars may contain the same class. */
  private static String jar(Key<?> handler) {
    ClassLoader loader = handler.getTypeLiteral().getRawType().getClassLoader();
    String name = loader == null ? null : loader.getName();
    return name != null && name.endsWith(".jar") ? ", " + name : "";
  }

  private static String origin() {
    return StackWalker.getInstance()
        .walk(
            frames ->
                frames
                    .filter(frame -> !frame.getClassName().equals(HandlerBinder.class.getName()))
                    .findFirst()
                    .map(frame -> frame.getClassName() + ":" + frame.getLineNumber())
                    .orElse("unknown"));
  }
}
