package io.rowqueue.worker.internal.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerConfigurationException;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.operate.JooqTopics;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.Rate;
import io.rowqueue.worker.WorkerConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class FairnessIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int QUIET_TOPICS = 9;

  /** Of two thousand: what four threads begin in less than three seconds. */
  private static final int SOME = 200;

  private final MessageProducer producer = MessageProducer.create();

  private void enqueue(QueueDatabase database, String topic, int count) {
    producer.enqueueAll(
        database.dataSource(),
        IntStream.range(0, count).mapToObj(i -> NewMessage.of(topic, new Order(i))).toList());
  }

  private static void pause(Duration time) throws InterruptedException {
    new CountDownLatch(1).await(time.toNanos(), TimeUnit.NANOSECONDS);
  }

  private static List<NewMessage> oneOfEachQuiet() {
    return IntStream.range(0, QUIET_TOPICS)
        .mapToObj(i -> NewMessage.of("quiet" + i, new Order(i)))
        .toList();
  }

  /**
   * One slow topic with a long backlog, nine with a message now and then: how many of the slow ones
   * begin before one of these does, the median.
   */
  private int medianOvertaking(QueueDatabase database, HandlerSettings slow) {
    ConcurrentLinkedQueue<Integer> picked = new ConcurrentLinkedQueue<>();
    AtomicInteger slowRunning = new AtomicInteger();
    Module slowTopic =
        Handlers.bind(
            "slow",
            (order, context) -> {
              slowRunning.incrementAndGet();
              pause(Duration.ofMillis(50));
            },
            slow);
    Stream<Module> quietTopics =
        IntStream.range(0, QUIET_TOPICS)
            .mapToObj(
                i -> Handlers.bind("quiet" + i, (order, context) -> picked.add(slowRunning.get())));
    enqueue(database, "slow", 2_000);
    List<Integer> overtaking = new ArrayList<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withPollInterval(Duration.ofSeconds(1)),
            Stream.concat(Stream.of(slowTopic), quietTopics).toArray(Module[]::new))) {
      Await.that("the slow ones have all threads", SOON, () -> slowRunning.get() > 20);
      for (int round = 0; round < 5; round++) {
        picked.clear();
        int before = slowRunning.get();
        producer.enqueueAll(database.dataSource(), oneOfEachQuiet());
        Await.that("the quiet ones are handled", SOON, () -> picked.size() == QUIET_TOPICS);
        picked.forEach(begun -> overtaking.add(begun - before));
      }
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE topic = 'slow'"))
          .as("slow messages that still wait")
          .isPositive();
      worker.worker().drain(Duration.ofSeconds(2));
    }
    return overtaking.stream().sorted().skip(overtaking.size() / 2).findFirst().orElseThrow();
  }

  @Test
  void quietTopics_concurrentWithAHotSlowOne_arePickedUpSoon(QueueDatabase database) {
    assertThat(medianOvertaking(database, HandlerSettings.defaults())).isLessThan(SOME);
  }

  @Test
  void quietTopics_concurrentWithALimitedSlowOne_arePickedUpSoon(QueueDatabase database) {
    assertThat(medianOvertaking(database, HandlerSettings.defaults().withMaxThreads(2)))
        .isLessThan(SOME);
  }

  @Test
  void topicAtItsThreadLimit_neitherBreaksItNorKeepsIdleThreads(QueueDatabase database)
      throws InterruptedException {
    BlockingHandler<Order> stuck = new BlockingHandler<>();
    AtomicInteger quiet = new AtomicInteger();
    enqueue(database, "stuck", 200);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(4),
            Handlers.bind("stuck", stuck, HandlerSettings.defaults().withMaxThreads(2)),
            Handlers.bind("quiet", (order, context) -> quiet.incrementAndGet()))) {
      stuck.awaitEntered(2, SOON);
      for (int round = 1; round <= 20; round++) {
        enqueue(database, "quiet", 10);
        int expected = round * 10;
        Await.that("round " + round, SOON, () -> quiet.get() == expected);
      }
      assertThat(stuck.inside()).isEqualTo(2);
      assertThat(
              database.count(
                  "SELECT COUNT(*) FROM queue_message WHERE topic = 'stuck' AND state = 1"))
          .as("no hoard behind the limit")
          .isLessThanOrEqualTo(10);
      worker.worker().drain(Duration.ofMillis(100));
    }
  }

  /** Those of operators replace the worker's own. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void weights_divideTheWorker(boolean ofOperators, QueueDatabase database) {
    if (ofOperators) {
      Topics topics = new JooqTopics(Transactions.on(database.dataSource()));
      topics.change(new Topic("heavy"), set -> set.withWeight(3));
      topics.change(new Topic("light"), set -> set.withWeight(1));
    }
    Topic own = new Topic(ofOperators ? "light" : "heavy");
    AtomicInteger heavy = new AtomicInteger();
    AtomicInteger light = new AtomicInteger();
    enqueue(database, "heavy", 1_500);
    enqueue(database, "light", 1_500);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withClaims(config.claims().withWeight(own, 3)),
            Handlers.bind(
                "heavy",
                (order, context) -> {
                  pause(Duration.ofMillis(2));
                  heavy.incrementAndGet();
                }),
            Handlers.bind(
                "light",
                (order, context) -> {
                  pause(Duration.ofMillis(2));
                  light.incrementAndGet();
                }))) {
      Await.that("a thousand of the heavy ones", SOON, () -> heavy.get() >= 1_000);
      // A third of it by weight; half as many again is for what waits and for the start.
      assertThat(light.get()).isBetween(150, 500);
      worker.worker().drain(Duration.ofSeconds(2));
    }
  }

  @Test
  void rate_isKeptAndHoldsUpNobodyElse(QueueDatabase database) {
    ConcurrentLinkedQueue<Long> limited = new ConcurrentLinkedQueue<>();
    AtomicInteger free = new AtomicInteger();
    AtomicInteger held = new AtomicInteger();
    enqueue(database, "limited", 40);
    enqueue(database, "held", 40);
    enqueue(database, "free", 500);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config ->
                config.withClaims(
                    config
                        .claims()
                        .withRate(new Topic("limited"), new Rate(20, Duration.ofSeconds(1)))
                        .withRate(new Topic("held"), new Rate(1, Duration.ofHours(1)))),
            Handlers.bind("limited", (order, context) -> limited.add(System.nanoTime())),
            Handlers.bind("held", (order, context) -> held.incrementAndGet()),
            Handlers.bind("free", (order, context) -> free.incrementAndGet()))) {
      Await.that("the free ones", SOON, () -> free.get() == 500);
      assertThat(held).hasValueLessThan(40);
      Await.that("the limited ones", SOON, () -> limited.size() == 40);
    }
    List<Long> times = limited.stream().sorted().toList();
    // 40 at 20/s are 2 s, but for a burst of two and the first one's late start.
    assertThat(Duration.ofNanos(times.get(39) - times.get(0)))
        .isGreaterThan(Duration.ofMillis(1_400));
  }

  @Test
  void start_withAWeightForATopicWithoutAHandler_isRefused(QueueDatabase database) {
    TestWorker worker =
        TestWorker.create(
            database,
            (WorkerConfig config) ->
                config.withClaims(config.claims().withWeight(new Topic("oders"), 3)),
            Handlers.bind("orders", (order, context) -> {}));
    assertThatThrownBy(() -> worker.worker().start())
        .isInstanceOf(HandlerConfigurationException.class)
        .hasMessageContaining("oders");
    worker.close();
  }
}
