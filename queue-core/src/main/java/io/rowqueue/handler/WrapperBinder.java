package io.rowqueue.handler;

import com.google.inject.Binder;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.spi.Unwrapper;
import io.rowqueue.spi.Wrapping;

/**
 * Sets in a Guice module which wrappers a worker may read, and which wrappers the handlers'
 * producer applies:
 *
 * <pre>{@code
 * WrapperBinder.allow(binder(), Zstd.reader(), Sealed.with(keys));
 * }</pre>
 */
public final class WrapperBinder {

  private WrapperBinder() {}

  /** Allows the worker to unwrap these, on every topic; may be called repeatedly. */
  public static void allow(Binder binder, Unwrapper... unwrappers) {
    Multibinder<Unwrapper> allowed = allowed(binder.skipSources(WrapperBinder.class));
    for (Unwrapper unwrapper : unwrappers) {
      allowed.addBinding().toInstance(unwrapper);
    }
  }

  /** Sets the wrappers of the handlers' own producer. */
  public static void wrap(Binder binder, Wrapping wrapping) {
    wrappings(binder.skipSources(WrapperBinder.class)).addBinding().toInstance(wrapping);
  }

  /** The allowed wrappers; several modules may allow the same one. */
  public static Multibinder<Unwrapper> allowed(Binder binder) {
    return Multibinder.newSetBinder(binder, Unwrapper.class).permitDuplicates();
  }

  /** The wrappings of the handlers' producer. */
  public static Multibinder<Wrapping> wrappings(Binder binder) {
    return Multibinder.newSetBinder(binder, Wrapping.class).permitDuplicates();
  }
}
