package io.rowqueue.worker.internal.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.util.concurrent.Uninterruptibles;
import com.google.inject.AbstractModule;
import com.google.inject.multibindings.Multibinder;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.wakeup.WakeupIT;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.RefusingTrigger;
import io.rowqueue.tests.SecondServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Wire;
import io.rowqueue.worker.AdminConfig;
import io.rowqueue.worker.AdminModule;
import io.rowqueue.worker.internal.LeaseState;
import io.rowqueue.worker.internal.WorkerObserver;
import io.rowqueue.worker.internal.WorkerStartException;
import io.rowqueue.worker.internal.poll.Claimer;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class AdminIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final String PICKED_UP = "rowqueue_pickup_seconds_count{topic=\"order\"}";
  private static final String PICKUP_SECONDS = "rowqueue_pickup_seconds_sum{topic=\"order\"}";
  private static final String HELD = "rowqueue_claims_held";
  private static final String PREFETCHED = "rowqueue_claims_prefetched";
  private static final String DEAD_LETTERS = "rowqueue_topic_dead_letters{topic=\"order\"}";
  private static final String NOBODY = "rowqueue_published_to_nobody_total";
  private static final String CLAIMED = "rowqueue_claims_total{topic=\"order\"}";
  private static final String HANDLED = "rowqueue_handling_seconds_count{topic=\"order\"}";

  private final QueueDatabase database;

  AdminIT(QueueDatabase database) {
    this.database = database;
  }

  private void enqueue(int... numbers) {
    for (int number : numbers) {
      Orders.enqueue(database, number);
    }
  }

  @Test
  void metrics_ofWorkDone_countIt() {
    try (TestWorker worker = AdminPort.worker(database)) {
      awaitTime(worker);
      double before = shown(worker, CLAIMED);
      enqueue(-1, 2, 3);
      awaitShown(worker, HANDLED, before + 3);
      awaitShown(
          worker, "rowqueue_settlements_total{outcome=\"dead-lettered\",topic=\"order\"}", 1);
      String shown = AdminPort.metrics(worker);
      assertThat(AdminPort.value(shown, CLAIMED)).isEqualTo(before + 3);
      assertThat(AdminPort.value(shown, "rowqueue_threads")).isEqualTo(4);
      assertThat(AdminPort.value(shown, "rowqueue_lease_margin_seconds")).isPositive();
      assertThat(AdminPort.value(shown, "rowqueue_database_up")).isEqualTo(1);
    }
  }

  /** Nobody is slow because a producer wished for later. */
  @Test
  void pickup_ofAMessageThatIsDueLater_countsFromThen() {
    try (TestWorker worker = AdminPort.worker(database)) {
      awaitTime(worker);
      double before = shown(worker, PICKED_UP);
      double seconds = shown(worker, PICKUP_SECONDS);
      MessageProducer.create()
          .enqueue(
              database.dataSource(),
              NewMessage.of("order", new Order(7)).withDelay(Duration.ofHours(1)));
      database.execute(
          "UPDATE queue_message SET created_at = created_at - INTERVAL 1 HOUR, due_at ="
              + " UTC_TIMESTAMP(6)");
      awaitShown(worker, PICKED_UP, before + 1);
      assertThat(shown(worker, PICKUP_SECONDS) - seconds).isBetween(0.0, 600.0);
    }
  }

  private static double shown(TestWorker worker, String series) {
    return AdminPort.value(AdminPort.metrics(worker), series);
  }

  private static void awaitShown(TestWorker worker, String series, double expected) {
    Await.until(series, SOON, () -> shown(worker, series), found -> found == expected);
  }

  private void awaitTime(TestWorker worker) {
    Await.that(
        "the server's time is known",
        SOON,
        () -> {
          enqueue(1);
          return shown(worker, PICKED_UP) > 0;
        });
    Orders.awaitNoneLeft(database);
  }

  @Test
  void deadLetters_ofATopic_areCountedWithItsName() {
    database.execute("DELETE FROM queue_attempt", "DELETE FROM queue_dead_letter");
    try (TestWorker worker = AdminPort.worker(database)) {
      awaitShown(worker, DEAD_LETTERS, 0);
      enqueue(-1, -2);
      awaitShown(worker, DEAD_LETTERS, 2);
    } finally {
      database.execute("DELETE FROM queue_attempt", "DELETE FROM queue_dead_letter");
    }
  }

  @Test
  void depth_ofWhatWaits_isReadOnceInAWhile() {
    CountDownLatch release = new CountDownLatch(1);
    try (TestWorker worker =
        AdminPort.start(
            database,
            config -> config.withThreads(1).withPrefetchCount(1),
            Handlers.bind("order", (order, context) -> release.await()))) {
      enqueue(1, 2, 3, 4);
      awaitShown(worker, "rowqueue_threads_busy", 1);
      awaitShown(worker, "rowqueue_depth{topic=\"order\"}", 3);
      assertThat(shown(worker, "rowqueue_oldest_seconds{topic=\"order\"}")).isPositive();
      release.countDown();
    }
  }

  /** Inserts the minutes around now, of which the last that is full counts. */
  @Test
  void enqueued_areThoseOfTheLastFullMinute_asTheDashboardHasThem() {
    for (int minutes = -4; minutes <= 4; minutes++) {
      for (String topic : List.of("", "order")) {
        database.execute(
            ("INSERT INTO queue_statistics (minutes, starts_at, topic, enqueued) VALUES (1,"
                    + " DATE_FORMAT(UTC_TIMESTAMP() + INTERVAL %d MINUTE, '%%Y-%%m-%%d %%H:%%i'),"
                    + " '%s', 90)")
                .formatted(minutes, topic));
      }
    }
    try (TestWorker worker = AdminPort.worker(database)) {
      assertThat(shown(worker, "rowqueue_enqueued_per_second{topic=\"order\"}")).isEqualTo(1.5);
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
        AdminPort.start(
            database,
            config -> config.withThreads(1),
            Handlers.bind(
                "order",
                (order, context) -> {
                  if (order.number() % 50 == 49) {
                    slow.acquire();
                  }
                },
                HandlerSettings.defaults().withCommitEach()))) {
      Orders.enqueueAll(database, 500);
      Await.until(
          "one runs, and others wait for its thread",
          SOON,
          () -> {
            String shown = AdminPort.metrics(worker);
            boolean late = AdminPort.value(shown, PREFETCHED) == 0 && inFlight() == 1;
            slow.release(late ? 1 : 0);
            return shown;
          },
          shown ->
              AdminPort.value(shown, PREFETCHED) > 0
                  && AdminPort.value(shown, PREFETCHED) == AdminPort.value(shown, HELD) - 1
                  && AdminPort.value(shown, HELD) == inFlight()
                  && AdminPort.value(shown, connections("handlers", "active")) == 1
                  && AdminPort.value(shown, connections("handlers", "awaited")) == 0);
      slow.release(500);
      Orders.awaitNoneLeft(database);
      awaitShown(worker, HELD, 0);
      assertThat(shown(worker, PREFETCHED)).isZero();
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
        AdminPort.start(
            database, config -> config.withPollInterval(Duration.ofMinutes(5)), AdminPort.IDLE)) {
      WakeupIT.awaitAsleep(database, 1);
      Await.that(
          "a ring arrives",
          SOON,
          () -> {
            enqueue(1);
            return shown(worker, "rowqueue_wakeups_total") > 0;
          });
      Await.that(
          "they are those that the listener has counted",
          SOON,
          () -> shown(worker, "rowqueue_wakeups_total") == WakeupIT.wakes(worker));
    }
  }

  /** What they get through by another way than this worker's producer is not seen here. */
  @Test
  void publications_thatReachNobody_areCountedBySource() {
    database.execute(
        "INSERT INTO queue_publication_lock (source, version) VALUES ('heard', 1)",
        "INSERT INTO queue_subscription (source, topic) VALUES ('heard', 'elsewhere')");
    try (TestWorker worker = AdminPort.worker(database)) {
      publish(worker, "heard", "unheard", "unheard");
      assertThat(shown(worker, NOBODY + "{source=\"unheard\"}")).isEqualTo(2);
      assertThat(AdminPort.metrics(worker)).doesNotContain(NOBODY + "{source=\"heard\"}");
    } finally {
      database.execute(
          "DELETE FROM queue_message WHERE topic = 'elsewhere'",
          "DELETE FROM queue_subscription",
          "DELETE FROM queue_publication_lock");
    }
  }

  private void publish(TestWorker worker, String... sources) {
    List<NewMessage> messages =
        Stream.of(sources).map(source -> NewMessage.of(source, new Order(1))).toList();
    var unused = worker.get(MessageProducer.class).publishAll(database.dataSource(), messages);
  }

  /** Every metric that is named in what is shipped to watch workers with, is one that they show. */
  @ParameterizedTest
  @ValueSource(strings = {"grafana/rowqueue.json", "prometheus/rowqueue-alerts.yml"})
  void metrics_thatAreNamedInWhatIsShipped_areShown(String file) throws IOException {
    Set<String> named = new TreeSet<>();
    Matcher name =
        Pattern.compile("\\b(?:rowqueue|jvm|process)_[a-z_]+")
            .matcher(Files.readString(Path.of("..", "..", "deploy", file)));
    while (name.find()) {
      named.add(name.group());
    }
    try (TestWorker worker = AdminPort.worker(database)) {
      enqueue(1);
      publish(worker, "unheard");
      Await.that("a message is handled", SOON, () -> shown(worker, CLAIMED) > 0);
      Set<String> shown = new TreeSet<>();
      AdminPort.metrics(worker)
          .lines()
          .filter(line -> !line.startsWith("#"))
          .forEach(line -> shown.add(line.split("[{ ]", 2)[0]));
      assertThat(named).hasSizeGreaterThan(8).isSubsetOf(shown);
    }
  }

  @Test
  void metrics_ofTheReferencePage_areThoseThatAreShown() throws IOException {
    Set<String> named = new TreeSet<>();
    Pattern.compile("`(rowqueue_[a-z_]+)`")
        .matcher(Files.readString(Path.of("..", "..", "docs", "reference", "metrics.md")))
        .results()
        .forEach(name -> named.add(name.group(1)));
    try (TestWorker worker = AdminPort.worker(database)) {
      enqueue(1);
      publish(worker, "unheard");
      Await.that("a message is handled", SOON, () -> shown(worker, CLAIMED) > 0);
      Set<String> shown = new TreeSet<>();
      Pattern.compile("(?m)^# TYPE (rowqueue_[a-z_]+?)(?:_max)? ")
          .matcher(AdminPort.metrics(worker))
          .results()
          .forEach(type -> shown.add(type.group(1)));
      assertThat(named).isEqualTo(shown);
    }
  }

  @Test
  void pages_areReadOnly_andNoOthersThanThese() {
    try (TestWorker worker = AdminPort.worker(database)) {
      assertThat(AdminPort.send(worker, "/metrics", "POST").statusCode()).isEqualTo(405);
      assertThat(AdminPort.get(worker, "/").statusCode()).isEqualTo(404);
      assertThat(AdminPort.get(worker, "/metrics/../../etc/passwd").statusCode()).isEqualTo(404);
      HttpResponse<String> head = AdminPort.send(worker, "/health/live", "HEAD");
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
                AdminPort.IDLE,
                new AdminModule(AdminConfig.onPort(taken.getLocalPort())))) {
      assertThatThrownBy(worker.worker()::start)
          .isInstanceOf(WorkerStartException.class)
          .hasMessageContaining("choose another --admin-port");
      assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
    }
  }

  @Test
  void throughAWorkersLife_isReadyOnlyWhileItClaims() {
    try (TestWorker worker = AdminPort.worker(database)) {
      assertLive(worker);
      HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
      assertThat(ready.body()).isEqualTo("ok\n");
      assertThat(ready.headers().firstValue("Cache-Control")).contains("no-store");
      worker.worker().drain(Duration.ofSeconds(5));
      HttpResponse<String> drained = AdminPort.get(worker, "/health/ready");
      assertThat(drained.statusCode()).isEqualTo(503);
      assertThat(drained.body()).isEqualTo("draining\n");
      assertLive(worker);
    }
  }

  @Test
  void ready_onASchemaThatNoLongerFits_saysWhatToDo() {
    try (TestWorker worker = AdminPort.worker(database)) {
      database.execute("INSERT INTO queue_schema (version, oldest_known) VALUES (99, 99)");
      try {
        Await.that(
            "the last answer is old",
            SOON,
            () -> AdminPort.get(worker, "/health/ready").body().contains("deploy a newer one"));
      } finally {
        database.execute("DELETE FROM queue_schema WHERE version = 99");
      }
    }
  }

  @Test
  void whileItStarts_isLiveAndNotReady() {
    try (TestWorker worker = AdminPort.created(database)) {
      Admin admin = worker.get(Admin.class);
      admin.begin();
      try {
        assertNotReady(worker, "starting");
        assertLive(worker);
      } finally {
        admin.end();
      }
    }
  }

  /** A new process could do no better, so nobody shall start one. */
  @Tag("ci")
  @Test
  void withTheDatabaseOutOfReach_isLiveAndNotReadyUntilItIsBack() throws IOException {
    try (Wire wire = Wire.to(database.url());
        TestWorker worker =
            TestWorker.startAt(
                wire.through(database.url()),
                config -> config,
                AdminPort.IDLE,
                AdminPort.module())) {
      assertThat(AdminPort.get(worker, "/health/ready").statusCode()).isEqualTo(200);
      wire.shut();
      wire.cut();
      HttpResponse<String> away =
          Await.until(
              "the last answer is old",
              SOON,
              () -> AdminPort.get(worker, "/health/ready"),
              ready -> ready.statusCode() == 503);
      assertThat(away.body()).doesNotContain("claimer", "lease", "it ");
      assertLive(worker);
      wire.open();
      awaitReady(worker);
    }
  }

  @Test
  void withTheLeaseInDoubt_isLiveAndNotReady() {
    try (TestWorker worker = AdminPort.worker(database)) {
      Await.that(
          "it is asked before a renewal",
          SOON,
          () -> {
            worker.get(LeaseState.class).expired();
            HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
            return ready.statusCode() == 503 && ready.body().equals("its lease is in doubt\n");
          });
      assertLive(worker);
    }
  }

  /** Half a minute is how long a turn may take. */
  @Tag("ci")
  @Test
  @DisabledIfSystemProperty(
      named = SecondServer.PROPERTY,
      matches = "true",
      disabledReason = "half a minute in which no server has a say")
  void withTheClaimerStuck_isLiveAndNotReadyUntilItGoesOn() {
    CountDownLatch release = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            AdminPort.IDLE,
            AdminPort.module(),
            new ClaimsStuckUntil(release))) {
      try {
        Orders.enqueue(database, 1);
        HttpResponse<String> stuck =
            Await.until(
                "a turn takes too long",
                Duration.ofSeconds(60),
                () -> AdminPort.get(worker, "/health/ready"),
                ready -> ready.body().startsWith("the claim loop has not run for 3"));
        assertThat(stuck.statusCode()).isEqualTo(503);
        assertLive(worker);
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
                public void claimed(Topic topic, List<Claim> claims, Duration took) {
                  Uninterruptibles.awaitUninterruptibly(release);
                }
              });
    }
  }

  @Test
  void ofAWorkerWhoseClaimerHasEnded_asksForANewProcess() throws InterruptedException {
    try (TestWorker worker = AdminPort.worker(database)) {
      worker.get(Claimer.class).stop();
      HttpResponse<String> live = AdminPort.get(worker, "/health/live");
      assertThat(live.statusCode()).isEqualTo(503);
      assertThat(live.body()).isEqualTo("the claim loop has ended\n");
      assertNotReady(worker, "the claim loop has ended");
    }
  }

  @Test
  void withAllThreadsAbandoned_asksForANewProcess() {
    CountDownLatch end = new CountDownLatch(1);
    try (TestWorker worker =
        AdminPort.start(
            database,
            config -> config.withThreads(1).withShutdownTimeout(Duration.ZERO),
            Handlers.bind(
                "order",
                (order, context) -> Orders.awaitDeaf(end),
                HandlerSettings.defaults()
                    .withTimeout(Duration.ofMillis(100))
                    .withMaxAttempts(1)))) {
      enqueue(1, 2);
      String why = "2 handler threads were abandoned to handlers that ignore interrupts";
      Await.that(
          "it is not live",
          SOON,
          () -> AdminPort.get(worker, "/health/live").body().equals(why + "\n"));
      assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(503);
      assertNotReady(worker, why);
      end.countDown();
      awaitReady(worker);
    } finally {
      database.execute("DELETE FROM queue_attempt", "DELETE FROM queue_dead_letter");
    }
  }

  /** Half a minute is how long refusals may last; a single message is retried ever more rarely. */
  @Tag("ci")
  @Test
  void whoseSettlementsAreAllRefused_isLiveAndNotReady() {
    try (RefusingTrigger refusing =
            RefusingTrigger.on(database, "INSERT ON queue_dead_letter", "TRUE");
        TestWorker worker = AdminPort.worker(database)) {
      enqueue(IntStream.range(0, 60).map(i -> -1).toArray());
      Await.that(
          "refusals have lasted",
          Duration.ofSeconds(90),
          () ->
              AdminPort.get(worker, "/health/ready")
                  .body()
                  .startsWith("the database has refused every settlement for 3"));
      assertLive(worker);
    } finally {
      database.execute("DELETE FROM queue_message");
    }
  }

  private static void assertLive(TestWorker worker) {
    assertThat(AdminPort.get(worker, "/health/live").statusCode()).isEqualTo(200);
  }

  private void assertNotReady(TestWorker worker, String why) {
    HttpResponse<String> ready = AdminPort.get(worker, "/health/ready");
    assertThat(ready.statusCode()).isEqualTo(503);
    assertThat(ready.body()).isEqualTo(why + "\n");
  }

  private void awaitReady(TestWorker worker) {
    Await.that(
        "it is ready again",
        SOON,
        () -> AdminPort.get(worker, "/health/ready").statusCode() == 200);
  }
}
