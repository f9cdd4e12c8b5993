package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.admin.Admin;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.admin.AdminException;
import io.rowqueue.worker.admin.AdminModule;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin port of a running worker, and what is shipped to watch it with. */
@QueueTest
class AdminIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PICKUP = "rowqueue_pickup_seconds";
  private static final String CLAIMED = "rowqueue_claims_total{topic=\"order\"}";
  private static final String HANDLED = "rowqueue_handling_seconds_count{topic=\"order\"}";

  private final QueueDatabase database;
  private final HttpClient client = HttpClient.newHttpClient();

  AdminIT(QueueDatabase database) {
    this.database = database;
  }

  private TestWorker worker() {
    return TestWorker.start(
        database,
        config -> config,
        Handlers.bind(
            "order",
            (order, context) -> {
              if (order.number() < 0) {
                throw new IllegalStateException("refused");
              }
            },
            HandlerSettings.defaults().withMaxAttempts(1)),
        new AdminModule(AdminConfig.onPort(0)));
  }

  private HttpResponse<String> send(TestWorker worker, String path, String method) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + worker.get(Admin.class).port() + path);
      return client.send(
          HttpRequest.newBuilder(uri).method(method, BodyPublishers.noBody()).build(),
          BodyHandlers.ofString());
    } catch (IOException e) {
      throw new AssertionError(path, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError(path, e);
    }
  }

  private String metrics(TestWorker worker) {
    HttpResponse<String> response = send(worker, "/metrics", "GET");
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  /** The number behind {@code series}; -1 if it is not shown. */
  private static double value(String metrics, String series) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(series + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
        .findFirst()
        .orElse(-1);
  }

  private void enqueue(int... numbers) {
    for (int number : numbers) {
      MessageProducer.create()
          .enqueue(database.dataSource(), NewMessage.of("order", new Order(number)));
    }
  }

  @Test
  void health_throughAWorkersLife_isReadyOnlyWhileItClaims() {
    try (TestWorker worker = worker()) {
      assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
      HttpResponse<String> ready = send(worker, "/health/ready", "GET");
      assertThat(ready.body()).isEqualTo("ok\n");
      assertThat(ready.headers().firstValue("Cache-Control")).contains("no-store");
      worker.worker().drain(Duration.ofSeconds(5));
      HttpResponse<String> drained = send(worker, "/health/ready", "GET");
      assertThat(drained.statusCode()).isEqualTo(503);
      assertThat(drained.body()).isEqualTo("it drains\n");
      assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void ready_onASchemaThatNoLongerFits_saysWhatToDo() {
    try (TestWorker worker = worker()) {
      database.execute("INSERT INTO queue_schema (version, oldest_known) VALUES (99, 99)");
      try {
        Await.that(
            "the last answer is old",
            SOON,
            () -> send(worker, "/health/ready", "GET").body().contains("deploy a newer one"));
      } finally {
        database.execute("DELETE FROM queue_schema WHERE version = 99");
      }
    }
  }

  @Test
  void metrics_ofWorkDone_countIt() {
    try (TestWorker worker = worker()) {
      awaitTime(worker);
      double before = value(metrics(worker), CLAIMED);
      enqueue(-1, 2, 3);
      Await.until(
          "all three are handled",
          SOON,
          () -> value(metrics(worker), HANDLED),
          n -> n == before + 3);
      Await.that(
          "one is set aside",
          SOON,
          () ->
              value(
                      metrics(worker),
                      "rowqueue_settlements_total{outcome=\"dead-lettered\",topic=\"order\"}")
                  == 1);
      String shown = metrics(worker);
      assertThat(value(shown, CLAIMED)).isEqualTo(before + 3);
      assertThat(value(shown, "rowqueue_threads")).isEqualTo(4);
      assertThat(value(shown, "rowqueue_lease_margin_seconds")).isPositive();
      assertThat(value(shown, "rowqueue_database_up")).isEqualTo(1);
    }
  }

  /** Nobody is slow because a producer wished for later. */
  @Test
  void pickup_ofAMessageThatIsDueLater_countsFromThen() {
    try (TestWorker worker = worker()) {
      awaitTime(worker);
      double before = value(metrics(worker), PICKUP + "_count{topic=\"order\"}");
      double seconds = value(metrics(worker), PICKUP + "_sum{topic=\"order\"}");
      MessageProducer.create()
          .enqueue(
              database.dataSource(),
              NewMessage.of("order", new Order(7)).withDelay(Duration.ofSeconds(4)));
      Await.that(
          "it is handled",
          SOON,
          () -> value(metrics(worker), PICKUP + "_count{topic=\"order\"}") == before + 1);
      assertThat(value(metrics(worker), PICKUP + "_sum{topic=\"order\"}") - seconds)
          .isBetween(0.0, 3.0);
    }
  }

  private void awaitTime(TestWorker worker) {
    Await.that(
        "the server's time is known",
        SOON,
        () -> {
          enqueue(1);
          return value(metrics(worker), PICKUP + "_count{topic=\"order\"}") > 0;
        });
    Await.until(
        "all are handled",
        SOON,
        () -> database.count("SELECT COUNT(*) FROM queue_message"),
        left -> left == 0);
  }

  @Test
  void deadLetters_ofATopic_areCountedWithItsName() {
    database.execute("DELETE FROM queue_dead_letter_attempt", "DELETE FROM queue_dead_letter");
    try (TestWorker worker = worker()) {
      Await.that(
          "there is none",
          SOON,
          () -> value(metrics(worker), "rowqueue_topic_dead_letters{topic=\"order\"}") == 0);
      enqueue(-1, -2);
      Await.that(
          "both are counted once the last reading is old",
          SOON,
          () -> value(metrics(worker), "rowqueue_topic_dead_letters{topic=\"order\"}") == 2);
    } finally {
      database.execute("DELETE FROM queue_dead_letter_attempt", "DELETE FROM queue_dead_letter");
    }
  }

  @Test
  void depth_ofWhatWaits_isReadOnceInAWhile() {
    CountDownLatch release = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1).withMaxClaimed(1),
            Handlers.bind("order", (order, context) -> release.await()),
            new AdminModule(AdminConfig.onPort(0)))) {
      enqueue(1, 2, 3, 4);
      Await.that("one runs", SOON, () -> value(metrics(worker), "rowqueue_threads_busy") == 1);
      Await.that(
          "the others are counted",
          SOON,
          () -> value(metrics(worker), "rowqueue_depth{topic=\"order\"}") == 3);
      assertThat(value(metrics(worker), "rowqueue_oldest_seconds{topic=\"order\"}")).isPositive();
      release.countDown();
    }
  }

  /** Every metric that is named in what is shipped to watch workers with, is one that they show. */
  @ParameterizedTest
  @ValueSource(strings = {"grafana/rowqueue.json", "prometheus/rowqueue-alerts.yml"})
  void metrics_thatAreNamedInWhatIsShipped_areShown(String file) throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher name =
        Pattern.compile("\\b(?:rowqueue|jvm|process)_[a-z_]+")
            .matcher(Files.readString(Path.of("..", "deploy", file)));
    while (name.find()) {
      named.add(name.group());
    }
    try (TestWorker worker = worker()) {
      enqueue(1);
      Await.that("a message is handled", SOON, () -> value(metrics(worker), CLAIMED) > 0);
      Set<String> shown = new TreeSet<>();
      metrics(worker)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(line -> shown.add(line.split("[{ ]", 2)[0]));
      assertThat(named).hasSizeGreaterThan(8).isSubsetOf(shown);
    }
  }

  @Test
  void pages_areReadOnly_andNoOthersThanThese() {
    try (TestWorker worker = worker()) {
      assertThat(send(worker, "/metrics", "POST").statusCode()).isEqualTo(405);
      assertThat(send(worker, "/", "GET").statusCode()).isEqualTo(404);
      assertThat(send(worker, "/metrics/../../etc/passwd", "GET").statusCode()).isEqualTo(404);
      HttpResponse<String> head = send(worker, "/health/live", "HEAD");
      assertThat(head.statusCode()).isEqualTo(200);
      assertThat(head.body()).isEmpty();
    }
  }

  @Test
  void start_onAPortThatIsTaken_failsBeforeAnythingRuns() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, java.net.InetAddress.getLoopbackAddress());
        TestWorker worker =
            TestWorker.create(
                database,
                config -> config,
                Handlers.bind("order", (order, context) -> {}),
                new AdminModule(AdminConfig.onPort(taken.getLocalPort())))) {
      assertThatThrownBy(worker.worker()::start)
          .isInstanceOf(AdminException.class)
          .hasMessageContaining("choose another --admin-port");
      assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    }
  }
}
