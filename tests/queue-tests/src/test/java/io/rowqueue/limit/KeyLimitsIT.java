package io.rowqueue.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.Delivery;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.RetryPolicy;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Overlap;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: never more than n messages of a key are handled at once, however many workers there are; no
 * place is lost by failures and kills; and a key with very many messages takes nothing from others.
 * Method: several workers in one JVM, so that the handlers can count each other, key by key.
 */
@QueueTest
class KeyLimitsIT {

  private static final Topic TOPIC = new Topic("tenants");
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Duration SHORT = Duration.ofMillis(10);

  private final QueueDatabase database;
  private final Map<String, Overlap> overlaps = new ConcurrentHashMap<>();
  private final AtomicInteger failures = new AtomicInteger();
  private final List<TestWorker> workers = new ArrayList<>();
  private TestWorker parts;

  KeyLimitsIT(QueueDatabase database) {
    this.database = database;
  }

  Duration within(Duration promised) {
    return promised.plus(SOON);
  }

  @BeforeEach
  void parts() {
    parts = TestWorker.create(database, config -> config, handler(HandlerSettings.defaults()));
  }

  @AfterEach
  void closeAll() {
    workers.forEach(TestWorker::close);
    parts.close();
  }

  private Topics topics() {
    return parts.get(Topics.class);
  }

  private Overlap of(String key) {
    return overlaps.computeIfAbsent(key, name -> new Overlap());
  }

  private Module handler(HandlerSettings settings) {
    return Handlers.bind(TOPIC.name(), (order, context) -> handle(context), settings);
  }

  private void handle(HandlerContext context) throws InterruptedException {
    of(Objects.requireNonNull(context.orderingKey())).handle(SHORT);
    if (failures.get() > 0 && ThreadLocalRandom.current().nextInt(10) == 0) {
      failures.decrementAndGet();
      throw new IllegalStateException("fails now and then");
    }
  }

  private TestWorker start(int threads, Module handler) {
    TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(threads).withLease(Duration.ofSeconds(3)),
            handler);
    workers.add(worker);
    return worker;
  }

  private void enqueue(String key, int count) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count)
                .mapToObj(number -> NewMessage.of(TOPIC, new Order(number)).withLimitKey(key))
                .toList());
  }

  private void awaitEmpty() {
    Await.until(
        "an empty queue",
        SOON,
        () -> database.strings("SELECT CONCAT(id, ' in state ', state) FROM queue_message"),
        List::isEmpty);
  }

  /** No place is taken by nobody, and no line waits for what will not come. */
  private void assertNoPlaceLost() {
    assertThat(database.count("SELECT COUNT(*) FROM queue_order")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_order_running")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_order_head WHERE message_id IS NOT NULL"))
        .isZero();
  }

  @ParameterizedTest
  @EnumSource
  void eachKey_runsAsManyAsItMay_whateverFails(Way way) {
    topics().limitKeyInFlight(TOPIC, 3);
    for (int key = 0; key < 4; key++) {
      enqueue("key-" + key, 60);
    }
    failures.set(20);
    start(8, way.handler(this));
    start(8, way.handler(this));
    awaitEmpty();
    assertThat(overlaps).hasSize(4);
    overlaps.values().forEach(key -> assertThat(key.most()).isBetween(way == Way.BATCH ? 1 : 2, 3));
    assertNoPlaceLost();
  }

  enum Way {
    ALONE,
    SHARED,
    BESIDE,
    BATCH;

    Module handler(KeyLimitsIT test) {
      HandlerSettings defaults =
          HandlerSettings.defaults()
              .withMaxAttempts(30)
              .withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(20)));
      return switch (this) {
        case ALONE -> test.handler(defaults);
        case SHARED -> test.handler(defaults.withSharedCommit());
        case BESIDE -> test.handler(defaults.withoutTransaction());
        case BATCH ->
            Handlers.bindBatch(
                TOPIC.name(),
                batch -> {
                  for (Delivery<Order> one : batch) {
                    test.handle(one.context());
                  }
                },
                defaults.withBatchSize(3));
      };
    }
  }

  @Test
  void limit_changedUnderLoad_isHeeded() {
    topics().limitKeyInFlight(TOPIC, 2);
    enqueue("a", 2_000);
    Module slow =
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> of("a").handle(SHORT.multipliedBy(10)),
            HandlerSettings.defaults());
    start(4, slow);
    start(4, slow);
    Await.that("two run", SOON, () -> of("a").most() == 2 && of("a").ended() > 10);

    database.execute("UPDATE queue_topic SET key_in_flight = 6 WHERE topic = 'tenants'");
    Await.that("more than two run", within(LimitsIT.EFFECT), () -> of("a").most() > 2);
    Await.that("six run", SOON, () -> of("a").most() == 6);

    topics().limitKeyInFlightNone(TOPIC);
    int lowered = of("a").ended();
    Await.that("those that ran end", within(LimitsIT.EFFECT), () -> of("a").ended() >= lowered + 6);
    of("a").forget();
    Await.that("one by one", SOON, () -> of("a").ended() > lowered + 30);
    assertThat(of("a").most()).isOne();
    workers.forEach(worker -> worker.worker().drain(Duration.ofSeconds(1)));
  }

  /** Nobody ends a message that would let the next go. */
  @Test
  void limit_raisedWhileAllThatRunTakeLong_isHeeded() {
    enqueue("a", 4);
    start(
        8,
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> of("a").handleTogether(4, SHORT),
            HandlerSettings.defaults()));
    Await.that("one runs", SOON, () -> of("a").most() == 1);
    topics().limitKeyInFlight(TOPIC, 4);
    Await.that("four run", within(LimitsIT.EFFECT), () -> of("a").most() == 4);
    awaitEmpty();
    assertNoPlaceLost();
  }

  @Test
  void keyWithVeryMany_takesNothingFromOthers() {
    topics().limitKeyInFlight(TOPIC, 2);
    enqueue("many", 20_000);
    start(4, handler(HandlerSettings.defaults()));
    Await.that("it runs", SOON, () -> of("many").ended() > 10);
    for (int key = 0; key < 50; key++) {
      enqueue("key-" + key, 2);
    }
    int before = of("many").ended();
    Await.that(
        "all others are handled",
        SOON,
        () ->
            database.count("SELECT COUNT(*) FROM queue_message WHERE ordering_key <> 'many'") == 0);
    assertThat(of("many").ended() - before).as("of the other meanwhile").isLessThan(1_000);
    overlaps.values().forEach(key -> assertThat(key.most()).isLessThanOrEqualTo(2));
    workers.forEach(worker -> worker.worker().drain(Duration.ofSeconds(1)));
  }

  @Test
  void rateOfAKey_isKeptByAllWorkers_andAttained() {
    topics().limitKeyInFlight(TOPIC, 5);
    topics().limitKeyPerSecond(TOPIC, 10);
    enqueue("a", 30);
    enqueue("b", 30);
    start(4, handler(HandlerSettings.defaults()));
    start(4, handler(HandlerSettings.defaults()));
    long beginNanos = System.nanoTime();
    awaitEmpty();
    Duration took = Duration.ofNanos(System.nanoTime() - beginNanos);
    assertThat(took).isBetween(Duration.ofMillis(2_500), within(Duration.ofSeconds(8)));
    for (String key : List.of("a", "b")) {
      // What has been let go may wait for a thread, and then begin together with what follows.
      assertThat(of(key).mostBegunWithin(Duration.ofSeconds(1))).isBetween(5, 15);
    }
    assertNoPlaceLost();
  }
}
