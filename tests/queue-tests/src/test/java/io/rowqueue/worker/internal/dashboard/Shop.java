package io.rowqueue.worker.internal.dashboard;

import static io.rowqueue.testkit.LambdaHandlers.bind;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.inject.Module;
import io.rowqueue.BatchProducer;
import io.rowqueue.BatchSettings;
import io.rowqueue.Chain;
import io.rowqueue.ChainProducer;
import io.rowqueue.MessageBatch;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.handler.Schedule;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Schedules;
import io.rowqueue.testkit.QueueDatabase;
import java.io.IOException;
import java.net.http.HttpConnectTimeoutException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The queue of a shop, for the published pictures: its topics, its handlers and its load. */
final class Shop implements AutoCloseable {

  static final String WEBHOOK = "partner.webhook";
  static final String INVOICE = "invoice.send";
  private static final String EMAIL = "email.send";
  private static final String ORDER = "order.place";
  private static final String IMPORT = "price.import";
  private static final String CHECK = "price.check";

  private static final String EMAILS =
      """
      INSERT INTO queue_message (topic, headers, payload)
        WITH RECURSIVE n AS (SELECT %1$d AS i UNION ALL SELECT i + 1 FROM n WHERE i < %1$d + %2$d - 1)
        SELECT 'email.send', JSON_OBJECT('order', CONCAT(i)), JSON_OBJECT('to', CONCAT('customer-', i %% 890,
            '@example.org'), 'template', 'order-confirmation', 'order', i) FROM n\
      """;

  private static final String ORDERS =
      """
      INSERT INTO queue_message (topic, headers, payload)
        WITH RECURSIVE n AS (SELECT %1$d AS i UNION ALL SELECT i + 1 FROM n WHERE i < %1$d + %2$d - 1)
        SELECT 'order.place', JSON_OBJECT('order', CONCAT(i)), JSON_OBJECT('order', i, 'customer', CONCAT('customer-',
            i %% 890), 'lines', JSON_ARRAY(JSON_OBJECT('sku', 'tea-assam-250', 'quantity', 2))) FROM n\
      """;

  private static final String WEBHOOKS =
      """
      INSERT INTO queue_message (topic, headers, payload)
        WITH RECURSIVE n AS (SELECT %1$d AS i UNION ALL SELECT i + 1 FROM n WHERE i < %1$d + %2$d - 1)
        SELECT 'partner.webhook', JSON_OBJECT('order', CONCAT(i)), JSON_OBJECT('event', 'order.placed', 'order', i,
            'partner', CONCAT('partner-', i %% 12)) FROM n\
      """;

  private final QueueDatabase database;
  private final CountDownLatch end = new CountDownLatch(1);

  Shop(QueueDatabase database) {
    this.database = database;
  }

  Module[] handlers() {
    HandlerSettings defaults = HandlerSettings.defaults();
    RetryPolicy soon = RetryPolicy.fixed(Duration.ofSeconds(4));
    RetryPolicy later = RetryPolicy.fixed(Duration.ofMinutes(20));
    return new Module[] {
      bind(EMAIL, JsonNode.class, (email, context) -> send(email)),
      bind(ORDER, JsonNode.class, (order, context) -> place(order)),
      bind(
          WEBHOOK,
          JsonNode.class,
          (event, context) -> call(event, context.attempt()),
          defaults.withRetryPolicy(soon)),
      bind(
          INVOICE,
          JsonNode.class,
          (invoice, context) -> {
            throw invoiceError();
          },
          defaults.withRetryPolicy(later)),
      bind(IMPORT, JsonNode.class, (file, context) -> work(15_000)),
      bind(CHECK, JsonNode.class, (file, context) -> end.await()),
      bind("price.publish", JsonNode.class, (file, context) -> work(50)),
      bind("report.build", JsonNode.class, (report, context) -> work(50)),
    };
  }

  private void work(long millis) throws InterruptedException {
    end.await(millis, TimeUnit.MILLISECONDS);
  }

  private void send(JsonNode email) throws InterruptedException {
    int order = email.path("order").asInt();
    work(50 + order % 40);
    if (order % 197 == 0) {
      throw at(
          new PermanentFailure("550 5.1.1 <%s>: no such user".formatted(email.path("to").asText())),
          "mail.Smtp.send:112",
          "mail.EmailHandler.handle:40");
    }
  }

  private void place(JsonNode order) throws InterruptedException {
    work(28 + order.path("order").asInt() % 17);
    if (order.path("order").asInt() % 89 == 0) {
      throw at(
          new PermanentFailure("the card of %s expired".formatted(order.path("customer").asText())),
          "order.Payment.authorize:77",
          "order.PlaceOrderHandler.handle:52");
    }
  }

  private void call(JsonNode event, int attempt) throws InterruptedException, IOException {
    int order = event.path("order").asInt();
    work(300 + order % 150);
    String partner = "POST https://%s.example.com/orders".formatted(event.path("partner").asText());
    if (order % 50 == 1 || (order % 25 == 3 && attempt == 1)) {
      IOException failure =
          switch (attempt) {
            case 1 -> new IOException(partner + " answered 503 Service Unavailable");
            case 2 -> new HttpConnectTimeoutException("HTTP connect timed out");
            default -> new IOException(partner + " answered 504 Gateway Timeout");
          };
      throw at(failure, "webhook.PartnerClient.post:58", "webhook.WebhookHandler.handle:31");
    }
  }

  private static IOException invoiceError() {
    return at(
        new IOException("POST https://documents.example.com/pdf answered 503 Service Unavailable"),
        "invoice.Documents.render:64",
        "invoice.SendInvoiceHandler.handle:29");
  }

  /** Gives the failure the stack trace of an application. */
  private static <E extends Exception> E at(E failure, String... frames) {
    Stream<StackTraceElement> own =
        Stream.of(frames)
            .map(frame -> frame.split("[.:]", -1))
            .map(
                part ->
                    new StackTraceElement(
                        "com.example.shop." + part[0] + "." + part[1],
                        part[2],
                        part[1] + ".java",
                        Integer.parseInt(part[3])));
    Stream<StackTraceElement> library =
        Stream.of(failure.getStackTrace())
            .filter(frame -> frame.getClassName().startsWith("io.rowqueue.internal."));
    failure.setStackTrace(Stream.concat(own, library).toArray(StackTraceElement[]::new));
    return failure;
  }

  /** Schedules, subscriptions, a batch with a chain, limits, and what waits. */
  void open() {
    QueueOperations queue = QueueOperations.of(database.dataSource());
    Schedules schedules = queue.schedules();
    ZoneId zone = ZoneId.of("Europe/Berlin");
    schedules.set(
        Schedule.cron("report.nightly", "30 3 * * *", zone)
            .enqueues(NewMessage.of("report.build", Map.of("report", "sales"))));
    schedules.set(
        Schedule.cron("webhook.digest", "0 9-17 * * MON-FRI", zone)
            .enqueues(NewMessage.of(WEBHOOK, Map.of("event", "digest"))));
    schedules.set(
        Schedule.every("cart.reminder", Duration.ofMinutes(10))
            .enqueues(NewMessage.of(EMAIL, Map.of("template", "abandoned-cart"))));
    var unused = schedules.pause("webhook.digest");
    queue.subscriptions().subscribe("order.placed", EMAIL);
    queue.subscriptions().subscribe("order.placed", WEBHOOK);
    queue.subscriptions().subscribe("price.changed", WEBHOOK);
    batch();
    database.execute(
        "INSERT INTO queue_topic (topic, max_in_flight, max_per_second, retention_days) VALUES"
            + " ('email.send', NULL, 200, NULL), ('partner.webhook', 2, NULL, 7),"
            + " ('invoice.send', NULL, 20, NULL), ('price.import', 4, NULL, NULL)",
        "INSERT INTO queue_message (topic, payload, ordering_key) VALUES"
            + " ('partner.webhook', '{\"event\":\"order.shipped\",\"order\":47951,"
            + "\"partner\":\"partner-8\"}', 'partner-8')",
        "INSERT INTO queue_message (topic, payload, ordering_key) SELECT 'partner.webhook',"
            + " REPLACE(payload, '51', '60'), 'partner-8' FROM queue_message, (SELECT 1 UNION"
            + " SELECT 2 UNION SELECT 3) AS three WHERE topic = 'partner.webhook'");
    for (int i = 0; i < 6; i++) {
      database.execute(
          "INSERT INTO queue_message (topic, state, due_at, payload) VALUES ('email.send', 2,"
              + " UTC_TIMESTAMP(6) + INTERVAL %1$d MINUTE, '{\"to\":\"customer-%1$d@example.org\","
                  .formatted(37 + 53 * i)
              + "\"template\":\"abandoned-cart\"}')");
    }
    for (int i = 0; i < 3; i++) {
      database.execute(
          ("INSERT INTO queue_message (topic, headers, payload) VALUES ('invoice.send',"
                  + " '{\"order\":\"%1$d\",\"traceparent\":"
                  + "\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}',"
                  + " '{\"invoice\":\"2026-%1$d\",\"customer\":\"customer-%1$d\","
                  + "\"total\":{\"amount\":\"129.90\",\"currency\":\"EUR\"}}')")
              .formatted(204 + 7 * i));
    }
  }

  private void batch() {
    MessageProducer producer = MessageProducer.create();
    BatchProducer batches = BatchProducer.over(producer);
    MessageBatch batch = batches.open(database.dataSource(), BatchSettings.named("price import"));
    batches.add(
        database.dataSource(),
        batch,
        IntStream.range(1, 41)
            .mapToObj(i -> NewMessage.of(IMPORT, Map.of("file", "prices-%02d.csv".formatted(i))))
            .toList());
    ChainProducer.over(producer)
        .add(
            database.dataSource(),
            batch,
            Chain.of(NewMessage.of(CHECK, Map.of("currency", "EUR")))
                .then(NewMessage.of("price.publish", Map.of("currency", "EUR")))
                .then(NewMessage.of(EMAIL, Map.of("template", "prices-published"))));
    batches.close(database.dataSource(), batch);
  }

  /** Enqueues at the rates of {@link ShopHistory} until the shop closes. */
  void keepEnqueueing() {
    try {
      for (int i = 0; !end.await(1_500, TimeUnit.MILLISECONDS); i++) {
        database.execute(
            EMAILS.formatted(48_200 + 18 * i, 18),
            ORDERS.formatted(61_300 + 8 * i, 8),
            WEBHOOKS.formatted(52_400 + 5 * i, 5));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  void await(Duration time) throws InterruptedException {
    work(time.toMillis());
  }

  /** Ends the load and the running handlers. */
  @Override
  public void close() {
    end.countDown();
  }
}
