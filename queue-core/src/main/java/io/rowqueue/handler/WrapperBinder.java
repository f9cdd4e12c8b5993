package io.rowqueue.handler;

import com.google.inject.Binder;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapping;

/**
 * Says in a Guice module which wrappers a worker may read, and which the producer that its handlers
 * are given puts round payloads:
 *
 * <pre>{@code
 * WrapperBinder.allow(binder(), Zstd.reader(), Sealed.with(keys));
 * }</pre>
 */
public final class WrapperBinder {

  private WrapperBinder() {}

  /** Lets the worker undo these, in payloads of every topic; called as often as wanted. */
  public static void allow(Binder binder, Unwrapper... unwrappers) {
    Multibinder<Unwrapper> allowed = allowed(binder.skipSources(WrapperBinder.class));
    for (Unwrapper unwrapper : unwrappers) {
      allowed.addBinding().toInstance(unwrapper);
    }
  }

  /** Lets the handlers' own producer wrap so, too. */
  public static void wrap(Binder binder, Wrapping wrapping) {
    wrappings(binder.skipSources(WrapperBinder.class)).addBinding().toInstance(wrapping);
  }

  /** What is allowed; the same wrapper may be allowed by several modules. */
  public static Multibinder<Unwrapper> allowed(Binder binder) {
    return Multibinder.newSetBinder(binder, Unwrapper.class).permitDuplicates();
  }

  /** How handlers' messages are wrapped. */
  public static Multibinder<Wrapping> wrappings(Binder binder) {
    return Multibinder.newSetBinder(binder, Wrapping.class).permitDuplicates();
  }
}
