package io.rowqueue.internal.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.Scope;
import io.opentelemetry.context.propagation.TextMapPropagator;
import io.rowqueue.EnqueueResult;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Publications;
import io.rowqueue.Tracing;
import io.rowqueue.internal.enqueue.ProducerDecorator;
import io.rowqueue.internal.enqueue.TxSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** A span around each call, and its context in the headers of the enqueued messages. */
public final class TracedProducer extends ProducerDecorator {

  private final OpenTelemetry telemetry;
  private final Tracer tracer;
  private final TextMapPropagator propagator;

  public TracedProducer(MessageProducer producer, OpenTelemetry telemetry) {
    super(producer, other -> new TracedProducer(other, telemetry));
    this.telemetry = telemetry;
    this.tracer = telemetry.getTracer(Tracing.SCOPE);
    this.propagator = telemetry.getPropagators().getTextMapPropagator();
  }

  /** The message is sent later, by another transaction; it gets the trace of the caller. */
  @Override
  public NewMessage encoded(NewMessage message) {
    return producer.encoded(marked(List.of(message)).get(0));
  }

  @Override
  protected List<EnqueueResult> insert(TxSource source, Collection<NewMessage> messages) {
    return traced("send", messages, marked -> super.insert(source, marked));
  }

  @Override
  protected Publications publish(TxSource source, Collection<NewMessage> messages) {
    return traced("publish", messages, marked -> super.publish(source, marked));
  }

  private <T> T traced(
      String what, Collection<NewMessage> messages, Function<List<NewMessage>, T> call) {
    Span span = span(what, messages);
    try (Scope here = span.makeCurrent()) {
      return call.apply(marked(messages));
    } catch (Throwable e) {
      span.recordException(e);
      span.setStatus(StatusCode.ERROR);
      throw e;
    } finally {
      span.end();
    }
  }

  /** The span's name contains the topic only if all messages have the same. */
  private Span span(String what, Collection<NewMessage> messages) {
    List<String> topics =
        messages.stream().map(message -> message.topic().name()).distinct().limit(2).toList();
    String one = topics.size() == 1 ? topics.get(0) : "";
    SpanBuilder builder =
        tracer
            .spanBuilder(one.isEmpty() ? what : what + " " + one)
            .setSpanKind(SpanKind.PRODUCER)
            .setAttribute(SpanAttributes.SYSTEM, SpanAttributes.ROWQUEUE)
            .setAttribute(SpanAttributes.OPERATION, "send")
            .setAttribute(SpanAttributes.MESSAGES, (long) messages.size());
    link(builder, messages);
    Span span = builder.startSpan();
    return one.isEmpty() ? span : span.setAttribute(SpanAttributes.TOPIC, one);
  }

  /** A forwarded message gets the trace of this call, which links to the old one. */
  private void link(SpanBuilder builder, Collection<NewMessage> messages) {
    String here = Span.current().getSpanContext().getTraceId();
    messages.stream()
        .map(NewMessage::headers)
        .filter(headers -> !headers.isEmpty())
        .map(
            headers ->
                Span.fromContext(SpanAttributes.contextOf(headers, telemetry)).getSpanContext())
        .filter(carried -> carried.isValid() && !carried.getTraceId().equals(here))
        .distinct()
        .forEach(builder::addLink);
  }

  private List<NewMessage> marked(Collection<NewMessage> messages) {
    Map<String, String> trace = new HashMap<>();
    propagator.inject(Context.current(), trace, TracedProducer::put);
    return messages.stream().map(message -> marked(message, trace)).toList();
  }

  private static void put(@Nullable Map<String, String> headers, String name, String value) {
    if (headers != null) {
      headers.put(name, value);
    }
  }

  /** Overwrites the context of a forwarded message, because this call's span comes in between. */
  private static NewMessage marked(NewMessage message, Map<String, String> trace) {
    NewMessage marked = message;
    for (Map.Entry<String, String> header : trace.entrySet()) {
      marked = marked.withHeader(header.getKey(), header.getValue());
    }
    return marked;
  }
}
