package io.rowqueue;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.opentelemetry.api.OpenTelemetry;
import io.rowqueue.handler.HandlerInterceptor;

/** Traces every handler call of a worker; install it next to the handlers' modules. */
public final class TracingModule extends AbstractModule {

  private final Tracing tracing;

  /** With the spans and propagators of {@code telemetry}. */
  public TracingModule(OpenTelemetry telemetry) {
    this.tracing = Tracing.of(telemetry);
  }

  @Override
  protected void configure() {
    bind(Tracing.class).toInstance(tracing);
    Multibinder.newSetBinder(binder(), HandlerInterceptor.class)
        .addBinding()
        .toInstance(tracing.interceptor());
  }
}
