package io.rowqueue;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.context.Context;
import io.rowqueue.handler.HandlerInterceptor;
import io.rowqueue.internal.trace.SpanAttributes;
import io.rowqueue.internal.trace.TracedHandling;
import io.rowqueue.internal.trace.TracedProducer;
import java.util.Map;

/**
 * Spans of one process, in the way that its {@link OpenTelemetry} is set up. The headers that carry
 * a trace are those of its propagators: {@code traceparent} and {@code tracestate} as a rule.
 * Immutable and thread-safe.
 *
 * <p>Wrap the outermost producer, and bind {@link TracingModule} with the handlers:
 *
 * <pre>{@code
 * Tracing tracing = Tracing.of(GlobalOpenTelemetry.get());
 * MessageProducer producer = tracing.producer(MessageProducer.create());
 * }</pre>
 */
public final class Tracing {

  /** The name under which all spans are made. */
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
   * {@code producer} with a span for each call, and with its context in the headers of every
   * message. It commits nothing: the span ends when the call returns.
   */
  public MessageProducer producer(MessageProducer producer) {
    return new TracedProducer(producer, telemetry);
  }

  /**
   * A span around every handling, whose parent is the span in which its message was enqueued.
   *
   * <p>A batch is of many traces, so its span begins one of its own and links to all of them; and
   * in each of them stands a span of the one message, which links to the batch's.
   */
  public HandlerInterceptor interceptor() {
    return new TracedHandling(telemetry);
  }

  /**
   * What the headers of a message carry: in a batch, to make one message's trace the current one
   * for what is done for it alone. Empty if they carry no trace.
   */
  public Context contextOf(Map<String, String> headers) {
    return SpanAttributes.contextOf(headers, telemetry);
  }
}
