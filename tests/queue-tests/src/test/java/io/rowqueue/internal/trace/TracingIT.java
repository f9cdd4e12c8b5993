package io.rowqueue.internal.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Scope;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Tracing;
import io.rowqueue.handler.Delivery;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Spans;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.WorkerTracingModule;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class TracingIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int MANY = 100;

  private static final AttributeKey<String> MESSAGE =
      AttributeKey.stringKey("messaging.message.id");

  private static final AttributeKey<Long> MESSAGES =
      AttributeKey.longKey("messaging.batch.message_count");

  private final QueueDatabase database;
  private final Spans spans = new Spans();
  private final OpenTelemetrySdk telemetry = spans.telemetry();
  private final Tracing tracing = Tracing.of(telemetry);
  private final MessageProducer producer = Tracing.of(telemetry).producer(MessageProducer.create());

  /** The trace in which each message was enqueued. */
  private final Map<String, String> traces = new HashMap<>();

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

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  private void enqueueMany() {
    for (int number = 0; number < MANY; number++) {
      MessageId id =
          producer.enqueue(database.dataSource(), NewMessage.of("order", new Order(number)));
      List<SpanData> sent = spans.named("send order");
      traces.put(id.toString(), sent.get(sent.size() - 1).getTraceId());
    }
    assertThat(new HashSet<>(traces.values())).hasSize(MANY);
  }

  private void handle(Module handlers) {
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            handlers,
            new WorkerTracingModule(telemetry)));
  }

  private static String message(SpanData span) {
    return Objects.requireNonNull(span.getAttributes().get(MESSAGE));
  }

  /** The trace behind each link, by the message that the link is of. */
  private static Map<String, String> linked(SpanData span) {
    return span.getLinks().stream()
        .collect(
            Collectors.toMap(
                link -> Objects.requireNonNull(link.getAttributes().get(MESSAGE)),
                link -> link.getSpanContext().getTraceId()));
  }

  private Map<String, String> tracesOf(Set<String> ids) {
    return ids.stream().collect(Collectors.toMap(id -> id, traces::get));
  }

  private static Set<String> ids(List<Delivery<Order>> batch) {
    return batch.stream().map(each -> each.context().id().toString()).collect(Collectors.toSet());
  }

  /** Goal: a batch links to all its messages, and each message's trace leads to the batch. */
  @Test
  void batch_ofManyTraces_linksToEachAndIsFoundFromEach() {
    enqueueMany();
    Queue<Set<String>> calls = new ConcurrentLinkedQueue<>();
    Queue<String> seenInside = new ConcurrentLinkedQueue<>();
    handle(
        Handlers.bindBatch(
            "order",
            batch -> {
              calls.add(ids(batch));
              seenInside.add(Span.current().getSpanContext().getSpanId());
              batch.forEach(each -> Orders.write(each.payload(), each.context()));
            },
            HandlerSettings.defaults().withBatchSize(20)));
    List<SpanData> batches = spans.named("process batch order");
    assertThat(batches.stream().map(span -> linked(span).keySet()))
        .isNotEmpty()
        .containsExactlyInAnyOrderElementsOf(calls.stream().filter(ids -> ids.size() > 1).toList());
    for (SpanData batch : batches) {
      Map<String, String> linked = linked(batch);
      assertThat(linked).isEqualTo(tracesOf(linked.keySet()));
      assertThat(batch.getAttributes().get(MESSAGES)).isEqualTo((long) linked.size());
      assertThat(batch.getAttributes().get(MESSAGE)).isNull();
      assertThat(batch.getKind()).isEqualTo(SpanKind.CONSUMER);
      assertThat(batch.getParentSpanContext().isValid()).isFalse();
      assertThat(seenInside).contains(batch.getSpanId());
      Set<String> members =
          spans.named("process order").stream()
              .filter(span -> leadsTo(span, batch))
              .map(TracingIT::message)
              .collect(Collectors.toSet());
      assertThat(members).isEqualTo(linked.keySet());
    }
    assertEachWasHandledInItsTrace();
  }

  private static boolean leadsTo(SpanData span, SpanData other) {
    return span.getLinks().stream()
        .map(LinkData::getSpanContext)
        .anyMatch(context -> context.getSpanId().equals(other.getSpanId()));
  }

  private void assertEachWasHandledInItsTrace() {
    Map<String, String> handled =
        spans.named("process order").stream()
            .collect(Collectors.toMap(TracingIT::message, SpanData::getTraceId));
    assertThat(handled).isEqualTo(traces);
  }

  /** Goal: whoever looks at one message sees that its batch failed, and its handling alone. */
  @Test
  void batch_thatFails_saysSoInEachTrace() {
    enqueueMany();
    handle(
        Handlers.bindBatch(
            "order",
            batch -> {
              if (batch.size() > 1) {
                throw new IllegalStateException("no luck");
              }
            },
            HandlerSettings.defaults()));
    List<SpanData> batches = spans.named("process batch order");
    assertThat(batches)
        .isNotEmpty()
        .allMatch(span -> span.getStatus().getStatusCode() == StatusCode.ERROR)
        .allMatch(span -> span.getEvents().size() == 1);
    Set<String> inBatches =
        batches.stream()
            .flatMap(span -> linked(span).keySet().stream())
            .collect(Collectors.toSet());
    List<SpanData> failed =
        spans.named("process order").stream()
            .filter(span -> span.getStatus().getStatusCode() == StatusCode.ERROR)
            .toList();
    assertThat(failed.stream().map(TracingIT::message).toList())
        .containsExactlyInAnyOrderElementsOf(inBatches);
    assertThat(failed)
        .allMatch(span -> Objects.equals(traces.get(message(span)), span.getTraceId()));
    assertThat(spans.named("process order")).hasSize(MANY + inBatches.size());
  }

  @Test
  void batch_ofMessagesWithoutATrace_isTheTraceInWhichEachIsFound() {
    Orders.enqueueAll(database, MANY);
    handle(Handlers.bindBatch("order", batch -> {}, HandlerSettings.defaults()));
    List<SpanData> batches = spans.named("process batch order");
    assertThat(batches).isNotEmpty().allMatch(span -> span.getLinks().isEmpty());
    for (SpanData batch : batches) {
      assertThat(
              spans.named("process order").stream()
                  .filter(span -> span.getParentSpanId().equals(batch.getSpanId())))
          .hasSize(Math.toIntExact(Objects.requireNonNull(batch.getAttributes().get(MESSAGES))));
    }
  }

  @Test
  void sharedCommit_ofManyTraces_handlesEachInItsOwn() {
    enqueueMany();
    handle(Handlers.bind("order", Orders::write, HandlerSettings.defaults().withSharedCommit()));
    assertEachWasHandledInItsTrace();
    assertThat(spans.named("process order")).allMatch(span -> span.getLinks().isEmpty());
  }

  @Test
  void claim_ofManyTraces_linksToEach() {
    enqueueMany();
    handle(Handlers.bind("order", (order, context) -> {}));
    Map<String, String> claimed = new HashMap<>();
    spans.named("receive order").forEach(span -> claimed.putAll(linked(span)));
    assertThat(claimed).isEqualTo(traces);
    assertThat(spans.named("receive order"))
        .allMatch(
            span ->
                Objects.equals(span.getAttributes().get(MESSAGES), (long) span.getLinks().size()));
  }

  /** A row may have been written by hand, with headers that are none. */
  @Test
  void claim_ofHeadersThatNobodyCanRead_hasItsSpanAllTheSame() {
    database.execute(
        "INSERT INTO queue_message (topic, payload, headers) VALUES ('order', '1', '[')");
    handle(Handlers.bind("order", (order, context) -> {}));
    assertThat(spans.named("receive order")).hasSize(1).allMatch(span -> span.getLinks().isEmpty());
  }

  /** Goal: many messages, forwarded in one call, stay found from where each came. */
  @Test
  void send_ofWhatCarriesOtherTraces_linksToEach() {
    Map<String, String> headers = new HashMap<>();
    Set<String> from = new HashSet<>();
    NewMessage[] forwarded = new NewMessage[2];
    for (int i = 0; i < forwarded.length; i++) {
      Span origin = telemetry.getTracer("test").spanBuilder("origin").startSpan();
      try (Scope here = origin.makeCurrent()) {
        telemetry
            .getPropagators()
            .getTextMapPropagator()
            .inject(io.opentelemetry.context.Context.current(), headers, Map::put);
      } finally {
        origin.end();
      }
      from.add(origin.getSpanContext().getSpanId());
      forwarded[i] =
          NewMessage.of("order", new Order(i))
              .withHeader("traceparent", Objects.requireNonNull(headers.get("traceparent")));
    }
    producer.enqueueAll(database.dataSource(), List.of(forwarded));
    SpanData send = spans.named("send order").get(0);
    assertThat(
            send.getLinks().stream()
                .map(link -> link.getSpanContext().getSpanId())
                .collect(Collectors.toSet()))
        .isEqualTo(from);
    assertThat(database.strings("SELECT headers FROM queue_message"))
        .hasSize(2)
        .allMatch(json -> json.contains(send.getSpanId()));
  }
}
