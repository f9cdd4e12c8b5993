package io.rowqueue.worker.trace;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.rowqueue.message.Topic;
import io.rowqueue.trace.Tracing;
import io.rowqueue.worker.WorkerObserver;
import java.time.Duration;
import java.time.Instant;

/**
 * A span for each claim that brings something. It has no parent: its messages are of many traces,
 * and what becomes of each is in its own.
 */
final class TracedClaims implements WorkerObserver {

  private final Tracer tracer;

  TracedClaims(OpenTelemetry telemetry) {
    this.tracer = telemetry.getTracer(Tracing.SCOPE);
  }

  @Override
  public void claimed(Topic topic, int messages, Duration took) {
    if (messages > 0) {
      tracer
          .spanBuilder("receive " + topic)
          .setParent(Context.root())
          .setSpanKind(SpanKind.CONSUMER)
          .setStartTimestamp(Instant.now().minus(took))
          .setAttribute("messaging.system", "rowqueue")
          .setAttribute("messaging.operation.type", "receive")
          .setAttribute("messaging.destination.name", topic.name())
          .setAttribute("messaging.batch.message_count", messages)
          .startSpan()
          .end();
    }
  }
}
