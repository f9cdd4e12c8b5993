package io.rowqueue;

import com.google.inject.AbstractModule;
import com.google.inject.Module;
import com.google.inject.multibindings.Multibinder;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Context;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.trace.SpanAttributes;
import io.rowqueue.internal.trace.TracedHandling;
import io.rowqueue.internal.trace.TracedProducer;
import java.util.Map;

/**
 * Traces a process with its {@link OpenTelemetry}. The trace context is propagated in headers, by
 * its propagators: usually {@code traceparent} and {@code tracestate}. Immutable and thread-safe.
 *
 * <p>Wrap the outermost producer, and install its {@link #module} next to the handlers' modules:
 *
 * <pre>{@code
 * Tracing tracing = Tracing.of(GlobalOpenTelemetry.get());
 * MessageProducer producer = tracing.producer(MessageProducer.create());
 * }</pre>
 */
public final class Tracing {

  /** The instrumentation scope of all spans. */
  public static final String SCOPE = "io.rowqueue";

  private final OpenTelemetry telemetry;

  private Tracing(OpenTelemetry telemetry) {
    this.telemetry = telemetry;
  }

  /** With the spans and propagators of {@code telemetry}. */
  public static Tracing of(OpenTelemetry telemetry) {
    return new Tracing(telemetry);
  }

  /**
   * Wraps {@code producer} with a span for each call, whose context is in the headers of every
   * message. The span ends when the call returns, which may be before the commit.
   */
  public MessageProducer producer(MessageProducer producer) {
    return new TracedProducer(producer, telemetry);
  }

  /**
   * A span around every handler call, whose parent is the span in which its message was enqueued.
   *
   * <p>A batch combines many traces, so its span starts a new one and links to all of them. Each of
   * those traces gets a span of its message, which links to the batch's.
   */
  public HandlerInterceptor interceptor() {
    return new TracedHandling(telemetry);
  }

  /** A Guice module that traces every handler call of a worker. */
  public Module module() {
    return new AbstractModule() {
      @Override
      protected void configure() {
        bind(Tracing.class).toInstance(Tracing.this);
        Multibinder.newSetBinder(binder(), HandlerInterceptor.class)
            .addBinding()
            .toInstance(interceptor());
      }
    };
  }

  /**
   * The trace context in a message's headers; use it in a batch to make one message's trace the
   * current one. Empty if there is none.
   */
  public Context contextOf(Map<String, String> headers) {
    return SpanAttributes.contextOf(headers, telemetry);
  }
}
