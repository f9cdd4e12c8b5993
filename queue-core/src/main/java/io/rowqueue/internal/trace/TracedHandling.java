package io.rowqueue.internal.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.rowqueue.Tracing;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerInterceptor;
import java.util.ArrayList;
import java.util.List;

/** A span around each handler call. */
public final class TracedHandling implements HandlerInterceptor {

  private final OpenTelemetry telemetry;
  private final Tracer tracer;

  public TracedHandling(OpenTelemetry telemetry) {
    this.telemetry = telemetry;
    this.tracer = telemetry.getTracer(Tracing.SCOPE);
  }

  @Override
  public void intercept(HandlerContext context, Invocation next) throws Exception {
    Context enqueued = SpanAttributes.contextOf(context.headers(), telemetry);
    Span span = ofMessage(context).setParent(enqueued).startSpan();
    run(enqueued.with(span), next, List.of(span));
  }

  /**
   * A link is visible from the span that has it, and in some tools not from its target. So each
   * message also gets a span in its own trace, in addition to the batch's many links.
   */
  @Override
  public void interceptBatch(List<HandlerContext> batch, Invocation next) throws Exception {
    List<Context> enqueued =
        batch.stream().map(each -> SpanAttributes.contextOf(each.headers(), telemetry)).toList();
    Span whole = startBatch(batch, enqueued);
    Context ofBatch = Context.root().with(whole);
    List<Span> spans = new ArrayList<>(batch.size() + 1);
    spans.add(whole);
    for (int i = 0; i < batch.size(); i++) {
      spans.add(startMember(batch.get(i), enqueued.get(i), ofBatch));
    }
    run(ofBatch, next, spans);
  }

  private Span startBatch(List<HandlerContext> batch, List<Context> enqueued) {
    SpanBuilder builder =
        builder("process batch ", batch.get(0))
            .setNoParent()
            .setAttribute(SpanAttributes.MESSAGES, (long) batch.size());
    for (int i = 0; i < batch.size(); i++) {
      Attributes which =
          Attributes.of(
              SpanAttributes.MESSAGE,
              batch.get(i).id().toString(),
              SpanAttributes.ATTEMPT,
              (long) batch.get(i).attempt());
      builder.addLink(spanOf(enqueued.get(i)), which);
    }
    return builder.startSpan();
  }

  /** The span of a message without a trace is part of the batch's trace. */
  private Span startMember(HandlerContext context, Context enqueued, Context ofBatch) {
    SpanBuilder builder = ofMessage(context);
    return spanOf(enqueued).isValid()
        ? builder.setParent(enqueued).addLink(spanOf(ofBatch)).startSpan()
        : builder.setParent(ofBatch).startSpan();
  }

  private static SpanContext spanOf(Context context) {
    return Span.fromContext(context).getSpanContext();
  }

  private SpanBuilder ofMessage(HandlerContext context) {
    return builder("process ", context)
        .setAttribute(SpanAttributes.MESSAGE, context.id().toString())
        .setAttribute(SpanAttributes.ATTEMPT, context.attempt());
  }

  private SpanBuilder builder(String what, HandlerContext context) {
    return tracer
        .spanBuilder(what + context.topic())
        .setSpanKind(SpanKind.CONSUMER)
        .setAttribute(SpanAttributes.SYSTEM, SpanAttributes.ROWQUEUE)
        .setAttribute(SpanAttributes.OPERATION, "process")
        .setAttribute(SpanAttributes.TOPIC, context.topic().name());
  }

  /**
   * Runs the call. If it throws, the first of {@code spans} records the exception, and all get the
   * error status and end.
   */
  private static void run(Context current, Invocation next, List<Span> spans) throws Exception {
    try (Scope here = current.makeCurrent()) {
      next.proceed();
    } catch (Throwable e) {
      spans.get(0).recordException(e);
      spans.forEach(span -> span.setStatus(StatusCode.ERROR));
      throw e;
    } finally {
      spans.forEach(Span::end);
    }
  }
}
