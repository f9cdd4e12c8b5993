package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.rowqueue.TracingModule;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.trace.TracedClaims;

/** Spans for claims and handlings; goes beside {@link io.rowqueue.worker.WorkerModule}. */
public final class WorkerTracingModule extends AbstractModule {

  private final OpenTelemetry telemetry;

  /** With the spans and propagators of {@code telemetry}. */
  public WorkerTracingModule(OpenTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** With those of the process: OpenTelemetry's agent sets them up; without it there are none. */
  public static WorkerTracingModule global() {
    return new WorkerTracingModule(GlobalOpenTelemetry.get());
  }

  @Override
  protected void configure() {
    install(new TracingModule(telemetry));
    Multibinder.newSetBinder(binder(), WorkerObserver.class)
        .addBinding()
        .toInstance(new TracedClaims(telemetry));
  }
}
