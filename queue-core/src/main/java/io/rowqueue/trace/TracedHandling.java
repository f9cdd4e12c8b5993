package io.rowqueue.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerInterceptor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A span around a handling. */
final class TracedHandling implements HandlerInterceptor {

  private static final TextMapGetter<Map<String, String>> HEADERS = new Headers();

  private final Tracer tracer;
  private final TextMapPropagator propagator;

  TracedHandling(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer(Tracing.SCOPE);
    this.propagator = telemetry.getPropagators().getTextMapPropagator();
  }

  @Override
  public void intercept(HandlerContext context, Invocation next) throws Exception {
    Context enqueued = propagator.extract(Context.root(), context.headers(), HEADERS);
    Span span =
        tracer
            .spanBuilder("process " + context.topic())
            .setParent(enqueued)
            .setSpanKind(SpanKind.CONSUMER)
            .setAttribute(Tracing.SYSTEM, Tracing.ROWQUEUE)
            .setAttribute(Tracing.OPERATION, "process")
            .setAttribute(Tracing.TOPIC, context.topic().name())
            .setAttribute(Tracing.MESSAGE, context.id().toString())
            .setAttribute(Tracing.ATTEMPT, context.attempt())
            .startSpan();
    try (Scope here = enqueued.with(span).makeCurrent()) {
      next.proceed();
    } catch (Throwable e) {
      span.recordException(e);
      span.setStatus(StatusCode.ERROR);
      throw e;
    } finally {
      span.end();
    }
  }

  private static final class Headers implements TextMapGetter<Map<String, String>> {

    @Override
    public @Nullable String get(@Nullable Map<String, String> headers, String name) {
      return headers == null ? null : headers.get(name);
    }
  }
}
