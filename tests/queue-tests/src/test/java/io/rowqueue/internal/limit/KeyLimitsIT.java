package io.rowqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.RetryPolicy;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.HandlingMode;
import io.rowqueue.tests.Overlap;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/*
 * Goal: never more than n messages of a key are handled at once, however many workers there are; no
 * place is lost by failures and kills; and a key with very many messages takes nothing from others.
 * Method: several workers in one JVM, so that the handlers can count each other, key by key.
 */
@QueueTest
class KeyLimitsIT extends LimitScene {

  private static final Topic TOPIC = new Topic("tenants");
  private final Map<String, Overlap> overlaps = new ConcurrentHashMap<>();
  private final AtomicInteger failures = new AtomicInteger();

  KeyLimitsIT(QueueDatabase database) {
    super(database, TOPIC);
  }

  private Overlap of(String key) {
    return overlaps.computeIfAbsent(key, name -> new Overlap());
  }

  private Module handler() {
    return Handlers.bind(TOPIC.name(), (order, context) -> handle(context));
  }

  private void handle(HandlerContext context) throws InterruptedException {
    of(Objects.requireNonNull(context.orderingKey())).handle(SHORT);
    if (failures.get() > 0 && ThreadLocalRandom.current().nextInt(10) == 0) {
      failures.decrementAndGet();
      throw new IllegalStateException("fails now and then");
    }
  }

  private void enqueue(String key, int count) {
    enqueue(count, message -> message.withLimitKey(key));
  }

  /** No place is taken by nobody, and no line waits for what will not come. */
  private void assertNoPlaceLost() {
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_member")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_ordering_member WHERE running = 1"))
        .isZero();
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_ordering_group WHERE message_id IS NOT NULL"))
        .isZero();
  }

  @ParameterizedTest
  @EnumSource
  void eachKey_runsAsManyAsItMay_whateverFails(HandlingMode mode) {
    topics.change(TOPIC, set -> set.withKeyInFlight(3));
    for (int key = 0; key < 4; key++) {
      enqueue("key-" + key, 60);
    }
    failures.set(20);
    HandlerSettings settings =
        HandlerSettings.defaults()
            .withMaxAttempts(30)
            .withRetryPolicy(RetryPolicy.fixed(Duration.ofMillis(20)));
    boolean batches = mode == HandlingMode.BATCH;
    start(
        2,
        8,
        mode.bind(
            TOPIC.name(),
            Order.class,
            (order, context) -> handle(context),
            batches ? settings.withBatchSize(3) : settings));
    Orders.awaitNoneLeft(database, SOON);
    assertThat(overlaps).hasSize(4);
    overlaps.values().forEach(key -> assertThat(key.most()).isBetween(batches ? 1 : 2, 3));
    assertNoPlaceLost();
  }

  @Test
  void limit_changedUnderLoad_isHeeded() {
    topics.change(TOPIC, set -> set.withKeyInFlight(2));
    enqueue("a", 2_000);
    Module slow =
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> of("a").handle(SHORT.multipliedBy(10)),
            HandlerSettings.defaults());
    start(2, 4, slow);
    Await.that("two run", SOON, () -> of("a").most() == 2 && of("a").ended() > 10);

    database.execute("UPDATE queue_topic SET key_max_in_flight = 6 WHERE topic = 'tenants'");
    Await.that("more than two run", within(EFFECT), () -> of("a").most() > 2);
    Await.that("six run", SOON, () -> of("a").most() == 6);

    topics.change(TOPIC, set -> set.withKeyInFlight(null));
    int lowered = of("a").ended();
    Await.that("those that ran end", within(EFFECT), () -> of("a").ended() >= lowered + 6);
    of("a").forget();
    Await.that("one by one", SOON, () -> of("a").ended() > lowered + 30);
    assertThat(of("a").most()).isOne();
    drain();
  }

  /** Nobody ends a message that would let the next go. */
  @Test
  void limit_raisedWhileAllThatRunTakeLong_isHeeded() {
    enqueue("a", 4);
    start(
        1,
        8,
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> of("a").handleTogether(4, SHORT),
            HandlerSettings.defaults()));
    Await.that("one runs", SOON, () -> of("a").most() == 1);
    topics.change(TOPIC, set -> set.withKeyInFlight(4));
    Await.that("four run", within(EFFECT), () -> of("a").most() == 4);
    Orders.awaitNoneLeft(database, SOON);
    assertNoPlaceLost();
  }

  @Test
  void keyWithVeryMany_takesNothingFromOthers() {
    topics.change(TOPIC, set -> set.withKeyInFlight(2));
    enqueue("many", 20_000);
    start(1, 4, handler());
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
    drain();
  }

  @Test
  void rateOfAKey_isKeptByAllWorkers_andAttained() {
    topics.change(TOPIC, set -> set.withKeyInFlight(5));
    topics.change(TOPIC, set -> set.withKeyPerSecond(10));
    enqueue("a", 30);
    enqueue("b", 30);
    start(2, 4, handler());
    long beginNanos = System.nanoTime();
    Orders.awaitNoneLeft(database, SOON);
    Duration took = Duration.ofNanos(System.nanoTime() - beginNanos);
    assertThat(took).isBetween(Duration.ofMillis(2_500), within(Duration.ofSeconds(8)));
    for (String key : List.of("a", "b")) {
      // What has been let go may wait for a thread, and then begin together with what follows.
      assertThat(of(key).mostBegunWithin(Duration.ofSeconds(1))).isBetween(5, 15);
    }
    assertNoPlaceLost();
  }
}
