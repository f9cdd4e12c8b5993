package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.proof.process.Wire;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.Trust;
import io.rowqueue.worker.WorkerObserver;
import io.rowqueue.worker.admin.Admin;
import io.rowqueue.worker.admin.AdminConfig;
import io.rowqueue.worker.admin.AdminException;
import io.rowqueue.worker.admin.AdminModule;
import io.rowqueue.worker.poll.Claimer;
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
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin port of a running worker, and what is shipped to watch it with. */
@QueueTest
class AdminIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PICKUP = "rowqueue_pickup_seconds";
  private static final String HELD = "rowqueue_claims_held";
  private static final String PREFETCHED = "rowqueue_claims_prefetched";
  private static final String CLAIMED = "rowqueue_claims_total{topic=\"order\"}";
  private static final String HANDLED = "rowqueue_handling_seconds_count{topic=\"order\"}";

  private final QueueDatabase database;
  private final HttpClient client = HttpClient.newHttpClient();

  AdminIT(QueueDatabase database) {
    this.database = database;
  }

  private TestWorker worker() {
    TestWorker created = created();
    created.worker().start();
    return created;
  }

  private TestWorker created() {
    return TestWorker.create(
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
  void health_whileItStarts_isLiveAndNotReady() {
    try (TestWorker worker = created()) {
      Admin admin = worker.get(Admin.class);
      admin.begin();
      try {
        assertNotReady(worker, "it starts");
        assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
      } finally {
        admin.end();
      }
    }
  }

  /** A new process could do no better, so nobody shall start one. */
  @Test
  void health_withTheDatabaseOutOfReach_isLiveAndNotReadyUntilItIsBack() throws IOException {
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            TestWorker.startAt(
                wire.through(database.url()),
                config -> config,
                Handlers.bind("order", (order, context) -> {}),
                new AdminModule(AdminConfig.onPort(0)))) {
      assertThat(send(worker, "/health/ready", "GET").statusCode()).isEqualTo(200);
      wire.shut();
      wire.cut();
      HttpResponse<String> away =
          Await.until(
              "the last answer is old",
              SOON,
              () -> send(worker, "/health/ready", "GET"),
              ready -> ready.statusCode() == 503);
      assertThat(away.body()).doesNotContain("claimer", "lease", "it ");
      assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
      wire.open();
      awaitReady(worker);
    }
  }

  @Test
  void health_withTheLeaseInDoubt_isLiveAndNotReady() {
    try (TestWorker worker = worker()) {
      Await.that(
          "it is asked before a renewal",
          SOON,
          () -> {
            worker.get(Trust.class).lost();
            HttpResponse<String> ready = send(worker, "/health/ready", "GET");
            return ready.statusCode() == 503 && ready.body().equals("its lease is in doubt\n");
          });
      assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
    }
  }

  /** Half a minute is how long a turn may take. */
  @Test
  @DisabledIfSystemProperty(
      named = "test.skip.pure",
      matches = "true",
      disabledReason = "half a minute in which no server has a say")
  void health_withTheClaimerStuck_isLiveAndNotReadyUntilItGoesOn() {
    CountDownLatch release = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            Handlers.bind("order", (order, context) -> {}),
            new AdminModule(AdminConfig.onPort(0)),
            new ClaimsStuckUntil(release))) {
      try {
        enqueue(1);
        HttpResponse<String> stuck =
            Await.until(
                "a turn takes too long",
                Duration.ofSeconds(60),
                () -> send(worker, "/health/ready", "GET"),
                ready -> ready.statusCode() == 503);
        assertThat(stuck.body()).isEqualTo("the claimer has made no turn for 30 s\n");
        assertThat(send(worker, "/health/live", "GET").statusCode()).isEqualTo(200);
      } finally {
        release.countDown();
      }
      awaitReady(worker);
    }
  }

  /** Keeps the claimer's thread where it tells what it has claimed. */
  private static final class ClaimsStuckUntil extends AbstractModule {

    private final CountDownLatch release;

    ClaimsStuckUntil(CountDownLatch release) {
      this.release = release;
    }

    @Override
    protected void configure() {
      Multibinder.newSetBinder(binder(), WorkerObserver.class)
          .addBinding()
          .toInstance(
              new WorkerObserver() {
                @Override
                public void claimed(Topic topic, int messages, Duration took) {
                  Uninterruptibles.awaitUninterruptibly(release);
                }
              });
    }
  }

  @Test
  void health_ofAWorkerWhoseClaimerHasEnded_asksForANewProcess() throws InterruptedException {
    try (TestWorker worker = worker()) {
      worker.get(Claimer.class).stop();
      HttpResponse<String> live = send(worker, "/health/live", "GET");
      assertThat(live.statusCode()).isEqualTo(503);
      assertThat(live.body()).isEqualTo("the claimer has ended\n");
      assertNotReady(worker, "the claimer has ended");
    }
  }

  private void assertNotReady(TestWorker worker, String why) {
    HttpResponse<String> ready = send(worker, "/health/ready", "GET");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).isEqualTo(why + "\n");
  }

  private void awaitReady(TestWorker worker) {
    Await.that(
        "it is ready again", SOON, () -> send(worker, "/health/ready", "GET").statusCode() == 200);
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

  /**
   * A worker prefetches once it is quick, and what it has then waits behind the first that is not:
   * for a second, after which it is handed back. Who looks too late waits for the next.
   */
  @Test
  void claims_heldAndPrefetched_areThoseOfTheDatabase() {
    Semaphore slow = new Semaphore(0);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (order.number() % 200 == 199) {
                    slow.acquire();
                  }
                }),
            new AdminModule(AdminConfig.onPort(0)))) {
      Orders.enqueueAll(database, 2_000);
      Await.until(
          "one runs, and others wait for its thread",
          SOON,
          () -> {
            String shown = metrics(worker);
            boolean late = value(shown, PREFETCHED) == 0 && inFlight() == 1;
            slow.release(late ? 1 : 0);
            return shown;
          },
          shown ->
              value(shown, PREFETCHED) > 0
                  && value(shown, PREFETCHED) == value(shown, HELD) - 1
                  && value(shown, HELD) == inFlight()
                  && value(shown, connections("handlers", "active")) == 1
                  && value(shown, connections("handlers", "awaited")) == 0);
      slow.release(2_000);
      Orders.awaitNoneLeft(database);
      Await.that("nothing is held", SOON, () -> value(metrics(worker), HELD) == 0);
      assertThat(value(metrics(worker), PREFETCHED)).isZero();
    }
  }

  private long inFlight() {
    return database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1");
  }

  private static String connections(String pool, String state) {
    return "rowqueue_connections{pool=\"%s\",state=\"%s\"}".formatted(pool, state);
  }

  @Test
  void wakeups_byProducers_areCounted() {
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withPollEvery(Duration.ofMinutes(5)),
            Handlers.bind("order", (order, context) -> {}),
            new AdminModule(AdminConfig.onPort(0)))) {
      WakeupIT.awaitAsleep(database, 1);
      Await.that(
          "a ring arrives",
          SOON,
          () -> {
            enqueue(1);
            return value(metrics(worker), "rowqueue_wakeups_total") > 0;
          });
      Await.that(
          "they are those that the listener has counted",
          SOON,
          () -> value(metrics(worker), "rowqueue_wakeups_total") == WakeupIT.wakes(worker));
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
