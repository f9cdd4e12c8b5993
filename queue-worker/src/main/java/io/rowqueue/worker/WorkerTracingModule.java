package io.rowqueue.worker;

import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.rowqueue.PayloadException;
import io.rowqueue.Topic;
import io.rowqueue.Tracing;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.message.Headers;
import io.rowqueue.worker.internal.WorkerObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

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
    install(Tracing.of(telemetry).module());
    Multibinder.newSetBinder(binder(), WorkerObserver.class)
        .addBinding()
        .toInstance(new TracedClaims(telemetry));
  }

  /**
   * A span for each claim that returns messages. It has no parent, and a link to the trace of each
   * message; the attempts have spans in those traces.
   */
  private static final class TracedClaims implements WorkerObserver {

    private static final AttributeKey<String> MESSAGE =
        AttributeKey.stringKey("messaging.message.id");

    private final Tracing tracing;
    private final Tracer tracer;

    TracedClaims(OpenTelemetry telemetry) {
      this.tracing = Tracing.of(telemetry);
      this.tracer = telemetry.getTracer(Tracing.SCOPE);
    }

    @Override
    public void claimed(Topic topic, List<Claim> claims, Duration took) {
      if (claims.isEmpty()) {
        return;
      }
      Span span =
          tracer
              .spanBuilder("receive " + topic)
              .setParent(Context.root())
              .setSpanKind(SpanKind.CONSUMER)
              .setStartTimestamp(Instant.now().minus(took))
              .setAttribute("messaging.system", "rowqueue")
              .setAttribute("messaging.operation.type", "receive")
              .setAttribute("messaging.destination.name", topic.name())
              .setAttribute("messaging.batch.message_count", claims.size())
              .startSpan();
      if (span.isRecording()) {
        for (Claim claim : claims) {
          span.addLink(enqueued(claim), Attributes.of(MESSAGE, claim.id().toString()));
        }
      }
      span.end();
    }

    /**
     * Invalid if the headers cannot be read, which the attempt reports, or are stored separately.
     */
    private SpanContext enqueued(Claim claim) {
      try {
        Context context = tracing.contextOf(Headers.parse(claim.body().headers()));
        return Span.fromContext(context).getSpanContext();
      } catch (PayloadException e) {
        return SpanContext.getInvalid();
      }
    }
  }
}
