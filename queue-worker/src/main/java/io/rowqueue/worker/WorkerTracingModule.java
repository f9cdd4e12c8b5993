package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.rowqueue.TracingModule;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.trace.TracedClaims;

/**
 * Creates spans for claims and attempts; install it together with {@link
 * io.rowqueue.worker.WorkerModule}.
 */
public final class WorkerTracingModule extends AbstractModule {

  private final OpenTelemetry telemetry;

  /** Uses the spans and propagators of {@code telemetry}. */
  public WorkerTracingModule(OpenTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /**
   * Uses the process-wide OpenTelemetry that the agent configures; without the agent, no spans are
   * created.
   */
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
