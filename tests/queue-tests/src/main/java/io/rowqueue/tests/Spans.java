package io.rowqueue.tests;

import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.propagation.ContextPropagators;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.SpanLimits;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.util.List;

/** A program's telemetry that keeps every span with all of its links. Thread-safe. */
public final class Spans implements AutoCloseable {

  private static final int MOST_LINKS = 1_000;

  private final InMemorySpanExporter ended = InMemorySpanExporter.create();
  private final OpenTelemetrySdk telemetry =
      OpenTelemetrySdk.builder()
          .setTracerProvider(
              SdkTracerProvider.builder()
                  .addSpanProcessor(SimpleSpanProcessor.create(ended))
                  .setSpanLimits(SpanLimits.builder().setMaxNumberOfLinks(MOST_LINKS).build())
                  .build())
          .setPropagators(ContextPropagators.create(W3CTraceContextPropagator.getInstance()))
          .build();

  public OpenTelemetrySdk telemetry() {
    return telemetry;
  }

  /** Those of that name that have ended, in that order. */
  public List<SpanData> named(String name) {
    return ended.getFinishedSpanItems().stream()
        .filter(span -> span.getName().equals(name))
        .toList();
  }

  @Override
  public void close() {
    telemetry.close();
  }
}
