package io.rowqueue.worker.internal.dashboard;

import static java.util.stream.Collectors.joining;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.inject.Module;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.spi.Deflate;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.DashboardConfig;
import io.rowqueue.worker.DashboardModule;
import io.rowqueue.worker.internal.admin.Admin;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;

/** A worker with a dashboard, and things in its queue. */
final class Scene implements AutoCloseable {

  /** A topic that no producer would name so, but SQL can. */
  static final String HOSTILE_TOPIC = "<script>alert(1)</script>";

  static final String HOSTILE = "</code></pre><script>document.title='owned'</script><img src=x>";

  /** A topic of which every attempt fails, each with an error of its own. */
  static final String PARTNER = "partner.call";

  /** Inserts 150,000 scheduled messages. Of these the last that a search reads has the header. */
  static final String HAYSTACK =
      """
      INSERT INTO queue_message (topic, state, due_at, headers, payload)
        WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 387)
        SELECT 'other', 2, '2099-01-02' - INTERVAL (a.i * 388 + b.i) SECOND,
          IF(a.i + b.i = 0, '{"tenant":"acme"}', '{"tenant":"b"}'), '{}' FROM n a, n b
          ORDER BY a.i, b.i
      """;

  private final QueueDatabase database;
  private final TestWorker worker;
  private final CountDownLatch held;

  private Scene(QueueDatabase database, TestWorker worker, CountDownLatch held) {
    this.database = database;
    this.worker = worker;
    this.held = held;
  }

  static Scene open(QueueDatabase database) {
    return open(database, DashboardConfig.open());
  }

  static Scene open(QueueDatabase database, DashboardConfig dashboard) {
    return open(database, AdminConfig.onPort(0), dashboard);
  }

  static Scene open(QueueDatabase database, AdminConfig admin, DashboardConfig dashboard) {
    CountDownLatch held = new CountDownLatch(1);
    TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(2).withPrefetchCount(2),
            handler("held", (payload, context) -> held.await()),
            handler(
                "mail.send",
                (payload, context) -> {
                  throw new PermanentFailure("the address bounces " + HOSTILE);
                }),
            handler(
                PARTNER,
                (payload, context) -> {
                  throw partnerError(context.attempt());
                }),
            binder -> WrapperBinder.allow(binder, Deflate.reader()),
            new AdminModule(admin),
            new DashboardModule(dashboard));
    return new Scene(database, worker, held);
  }

  private static Module handler(
      String topic, io.rowqueue.handler.MessageHandler<JsonNode> handler) {
    return LambdaHandlers.bind(topic, JsonNode.class, handler);
  }

  private static RuntimeException partnerError(int attempt) {
    return switch (attempt) {
      case 1 -> new IllegalStateException("the partner answered 503");
      case 2 -> new UncheckedIOException("the connection was reset", new IOException());
      default -> new IllegalArgumentException("the partner knows no such order");
    };
  }

  int port() {
    return worker.get(Admin.class).port();
  }

  Operator operator() {
    return new Operator(port());
  }

  void enqueue(String topic, int count) {
    database.execute(
        IntStream.range(0, count)
            .mapToObj(i -> "('%s', '{\"number\":%d}')".formatted(topic, i))
            .collect(joining(", ", "INSERT INTO queue_message (topic, payload) VALUES ", "")));
  }

  void fail(int count) {
    enqueue("mail.send", count);
    io.rowqueue.testkit.Await.that(
        "all are set aside",
        java.time.Duration.ofSeconds(30),
        () -> database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'mail.send'") == 0);
  }

  @Override
  public void close() {
    held.countDown();
    worker.close();
  }
}
