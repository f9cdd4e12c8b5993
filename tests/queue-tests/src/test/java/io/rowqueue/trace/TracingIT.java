package io.rowqueue.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Spans;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.trace.WorkerTracingModule;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A trace that goes with a message from its producer to its handler, and on. */
@QueueTest
class TracingIT {

  private static final Duration SOON = Duration.ofSeconds(30);

  private final QueueDatabase database;
  private final Spans spans = new Spans();
  private final OpenTelemetrySdk telemetry = spans.telemetry();
  private final Tracing tracing = Tracing.of(telemetry);

  TracingIT(QueueDatabase database) {
    this.database = database;
  }

  @AfterEach
  void close() {
    spans.close();
  }

  private TestWorker worker(Module handlers) {
    return TestWorker.start(
        database, config -> config, handlers, new WorkerTracingModule(telemetry));
  }

  private SpanData span(String name) {
    Await.that("the span " + name, SOON, () -> !spans.named(name).isEmpty());
    return spans.named(name).get(0);
  }

  @Test
  void trace_ofAProducer_goesThroughTheHandlerToWhatItEnqueues() {
    MessageProducer producer = tracing.producer(MessageProducer.create());
    Span request = telemetry.getTracer("test").spanBuilder("request").startSpan();
    try (Scope here = request.makeCurrent()) {
      producer.enqueue(database.dataSource(), NewMessage.of("first", new Order(1)));
    } finally {
      request.end();
    }
    Module both =
        com.google.inject.util.Modules.combine(
            Handlers.bind(
                "first",
                (order, context) ->
                    producer.enqueue(context.connection(), NewMessage.of("second", new Order(2)))),
            Handlers.bind("second", (order, context) -> {}));
    try (TestWorker worker = worker(both)) {
      SpanData last = span("process second");
      assertThat(last.getTraceId()).isEqualTo(request.getSpanContext().getTraceId());
      SpanData send = span("send first");
      SpanData process = span("process first");
      assertThat(send.getParentSpanId()).isEqualTo(request.getSpanContext().getSpanId());
      assertThat(process.getParentSpanId()).isEqualTo(send.getSpanId());
      assertThat(process.getKind()).isEqualTo(SpanKind.CONSUMER);
      assertThat(span("send second").getParentSpanId()).isEqualTo(process.getSpanId());
      SpanData receive = span("receive first");
      assertThat(receive.getTraceId()).isNotEqualTo(last.getTraceId());
    }
  }

  @Test
  void handling_thatFails_saysSoInItsSpan() {
    tracing
        .producer(MessageProducer.create())
        .enqueue(database.dataSource(), NewMessage.of("broken", new Order(1)));
    try (TestWorker worker =
        worker(
            Handlers.bind(
                "broken",
                (order, context) -> {
                  throw new IllegalStateException("no luck");
                },
                HandlerSettings.defaults().withMaxAttempts(1)))) {
      SpanData failed = span("process broken");
      assertThat(failed.getStatus().getStatusCode()).isEqualTo(StatusCode.ERROR);
      assertThat(failed.getEvents()).hasSize(1);
    }
  }

  @Test
  void headers_withoutATrace_areAsTheyWere() {
    Tracing none = Tracing.of(OpenTelemetry.noop());
    none.producer(MessageProducer.create())
        .enqueue(database.dataSource(), NewMessage.of("plain", new Order(1)));
    MessageProducer.create().enqueue(database.dataSource(), NewMessage.of("plain", new Order(2)));
    assertThat(database.strings("SELECT headers FROM queue_message WHERE topic = 'plain'"))
        .containsExactly("null", "null");
  }
}
