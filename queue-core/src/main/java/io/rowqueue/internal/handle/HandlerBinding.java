package io.rowqueue.internal.handle;

import com.google.inject.Binder;
import com.google.inject.Provider;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.Topic;
import io.rowqueue.handler.Handler;
import io.rowqueue.handler.HandlerBinder;
import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.handler.HandlerSettings;
import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * A topic, the handler bound to it, and the code location of the binding. Created by {@link
 * HandlerBinder}.
 *
 * @param topic the topic whose messages it handles
 * @param handler provides the handler
 * @param kind the kind of handler
 * @param payloadType the type that the codec decodes to
 * @param settings the settings of the binding itself
 * @param source where it was bound, for error messages
 * @param loader the context class loader of the code that bound it, such as a plug-in, in which its
 *     codec and its retry policy run; null if there was none
 */
public record HandlerBinding(
    Topic topic,
    Provider<? extends Handler<?>> handler,
    HandlerKind kind,
    Type payloadType,
    HandlerSettings settings,
    String source,
    @Nullable ClassLoader loader) {

  /** A binding by the code that is running. */
  public HandlerBinding(
      Topic topic,
      Provider<? extends Handler<?>> handler,
      HandlerKind kind,
      Type payloadType,
      HandlerSettings settings,
      String source) {
    this(
        topic,
        handler,
        kind,
        payloadType,
        settings,
        source,
        Thread.currentThread().getContextClassLoader());
  }

  /**
   * Adds it to the bindings of a worker. Contradictory settings are reported here, not when the
   * worker starts.
   *
   * @throws IllegalArgumentException if the settings contradict each other
   */
  public void addTo(Binder binder) {
    var unused = HandlerPolicy.of(settings, HandlerDefaults.defaults(), kind).decoder(payloadType);
    Multibinder.newSetBinder(binder, HandlerBinding.class).addBinding().toInstance(this);
  }
}
