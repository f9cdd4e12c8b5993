package io.rowqueue.internal.limit;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.AdmittedConnections;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Overlap;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/*
 * Goal: never more than n handlings of a topic run at once, however many workers there are, and n run
 * where there is work for them.
 * Method: several workers in one JVM, so that the handlers can count each other by one clock.
 */
@QueueTest
class LimitsIT extends LimitScene {

  private static final Topic TOPIC = new Topic("limited");
  private static final String HELD = "SELECT COUNT(*) FROM queue_slot WHERE lock_id <> ''";

  private final Overlap overlap = new Overlap();

  LimitsIT(QueueDatabase database) {
    super(database, TOPIC);
  }

  private Module handler(HandlerSettings settings) {
    return Handlers.bind(TOPIC.name(), (order, context) -> overlap.handle(SHORT), settings);
  }

  private void awaitHeld(long slots, Duration longest) {
    Orders.awaitCount(database, HELD, slots, longest);
  }

  @ParameterizedTest
  @CsvSource({"1, 60, 4", "10, 1000, 8"})
  void fourWorkers_neverRunMoreAtOnceThanTheLimit_andNoFewer(int limit, int count, int threads) {
    topics.change(TOPIC, set -> set.withMaxInFlight(limit));
    enqueue(count);
    start(
        4,
        threads,
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> overlap.handleTogether(limit, SHORT),
            HandlerSettings.defaults().withoutTransaction()));
    Orders.awaitNoneLeft(database, SOON);
    assertThat(overlap.ended()).isEqualTo(count);
    assertThat(overlap.most()).isEqualTo(limit);
  }

  /** More connections than the 151 that a server admits by itself. */
  @Tag("full")
  @Test
  void fourWorkersOfManyThreads_neverRunMoreAtOnceThanTheLimit_andNoFewer() {
    try (AdmittedConnections admitted = AdmittedConnections.atLeast(database, 1_000)) {
      fourWorkers_neverRunMoreAtOnceThanTheLimit_andNoFewer(100, 6_000, 40);
    }
  }

  @Test
  void transactionsAndSharedCommits_areLimitedAlike() {
    topics.change(TOPIC, set -> set.withMaxInFlight(3));
    enqueue(300);
    start(1, 4, handler(HandlerSettings.defaults()));
    start(1, 4, handler(HandlerSettings.defaults().withSharedCommit()));
    Orders.awaitNoneLeft(database, SOON);
    assertThat(overlap.ended()).isEqualTo(300);
    assertThat(overlap.most()).isBetween(2, 3);
  }

  @Test
  void batch_isOneHandling() {
    topics.change(TOPIC, set -> set.withMaxInFlight(2));
    enqueue(400);
    start(
        3,
        4,
        Handlers.bindBatch(
            TOPIC.name(), batch -> overlap.handle(SHORT), HandlerSettings.defaults()));
    Orders.awaitNoneLeft(database, SOON);
    assertThat(overlap.ended()).as("batches").isLessThan(400);
    assertThat(overlap.most()).isBetween(1, 2);
  }

  @Test
  void limit_changedUnderLoad_isHeededByAll() {
    topics.change(TOPIC, set -> set.withMaxInFlight(2));
    enqueue(8_000);
    start(2, 4, handler(HandlerSettings.defaults()));
    Await.that("two run", SOON, () -> overlap.most() == 2 && overlap.ended() > 20);

    topics.change(TOPIC, set -> set.withMaxInFlight(6));
    Await.that("six run", within(EFFECT), () -> overlap.most() == 6);

    topics.change(TOPIC, set -> set.withMaxInFlight(1));
    awaitHeld(1, within(EFFECT));
    overlap.forget();
    int before = overlap.ended();
    Await.that("one by one", SOON, () -> overlap.ended() > before + 50);
    assertThat(overlap.most()).isOne();

    topics.change(TOPIC, set -> set.withMaxInFlight(null));
    Await.that("all threads run", within(EFFECT), () -> overlap.most() == 8);
    awaitHeld(0, within(EFFECT));
    drain();
  }

  @Test
  void limit_setWhileWorkersRunWithoutOne_isHeeded() {
    enqueue(4_000);
    start(2, 4, handler(HandlerSettings.defaults()));
    Await.that("all threads run", SOON, () -> overlap.most() == 8);
    assertThat(database.count("SELECT COUNT(*) FROM queue_slot")).as("slots without use").isZero();
    database.execute(
        "INSERT INTO queue_topic (topic, max_in_flight) VALUES ('limited', 3)"
            + " ON DUPLICATE KEY UPDATE max_in_flight = 3");
    awaitHeld(3, within(EFFECT));
    // One of them may hold all three before the other has learnt that there is a limit.
    Orders.awaitCount(
        database, "SELECT COUNT(DISTINCT lock_id) FROM queue_slot WHERE lock_id <> ''", 2);
    // Whatever ran when the workers learnt of it ends now, and nothing else may begin.
    int before = overlap.ended();
    Await.that("those end", SOON, () -> overlap.ended() > before + 30);
    overlap.forget();
    Await.that("more", SOON, () -> overlap.ended() > before + 100);
    assertThat(overlap.most()).isLessThanOrEqualTo(3);
    drain();
  }

  @Test
  void slots_ofAWorkerThatDied_comeBackWhenItIsDeclaredDead() {
    topics.change(TOPIC, set -> set.withMaxInFlight(1));
    database.execute(
        """
        INSERT INTO queue_worker (lock_id, host, pid, lease_until, version, topics, started_at,
          updated_at)
        VALUES ('gone-1-x', 'gone', 1, UTC_TIMESTAMP(6) + INTERVAL 2 SECOND, 't', 'limited',
          UTC_TIMESTAMP(), UTC_TIMESTAMP())
        """,
        "INSERT INTO queue_slot VALUES ('limited', 0, 'gone-1-x', UTC_TIMESTAMP(6))");
    enqueue(5);
    start(1, 4, handler(HandlerSettings.defaults()));
    Orders.awaitCount(
        database, "SELECT COUNT(*) FROM queue_topic WHERE starved_at IS NOT NULL", 1, SOON);
    assertThat(overlap.ended()).as("handled while its holder lived").isZero();
    Orders.awaitNoneLeft(database, SOON);
    assertThat(overlap.most()).isOne();
  }

  @Test
  void worker_thatFindsAllSlotsTaken_getsItsShareSoon() {
    topics.change(TOPIC, set -> set.withMaxInFlight(4));
    enqueue(6_000);
    start(1, 4, handler(HandlerSettings.defaults()));
    awaitHeld(4, SOON);
    start(1, 4, handler(HandlerSettings.defaults()));
    Await.until(
        "each holds two",
        within(Duration.ofSeconds(5)),
        () ->
            database.strings(
                "SELECT COUNT(*) FROM queue_slot WHERE lock_id <> '' GROUP BY lock_id"),
        List.of("2", "2")::equals);
    assertThat(overlap.most()).isLessThanOrEqualTo(4);
    drain();
  }

  @Test
  void slot_thatTwoWorkersWant_goesRound() {
    topics.change(TOPIC, set -> set.withMaxInFlight(1));
    enqueue(4_000);
    start(2, 2, handler(HandlerSettings.defaults()));
    Set<String> holders = new HashSet<>();
    Await.that(
        "both have had it",
        within(Duration.ofSeconds(8)),
        () -> {
          holders.addAll(database.strings("SELECT lock_id FROM queue_slot WHERE lock_id <> ''"));
          return holders.size() == 2;
        });
    assertThat(overlap.most()).isOne();
    drain();
  }

  @Test
  void slots_thatNobodyUses_areGivenBack_andTakenAgain() {
    topics.change(TOPIC, set -> set.withMaxInFlight(2));
    start(1, 4, handler(HandlerSettings.defaults()));
    for (int round = 1; round <= 2; round++) {
      enqueue(20);
      int expected = round * 20;
      Await.that("round " + round, SOON, () -> overlap.ended() == expected);
      awaitHeld(0, within(Duration.ofSeconds(4)));
    }
    assertThat(overlap.most()).isLessThanOrEqualTo(2);
  }

  @Test
  void drain_givesSlotsBackWithTheWorker() {
    topics.change(TOPIC, set -> set.withMaxInFlight(2));
    enqueue(4_000);
    start(1, 4, handler(HandlerSettings.defaults()));
    awaitHeld(2, SOON);
    drain();
    closeAll();
    assertThat(database.count(HELD)).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_worker")).isZero();
  }

  @Test
  void runOnce_handlesAllUnderTheLimit() {
    topics.change(TOPIC, set -> set.withMaxInFlight(2));
    topics.change(TOPIC, set -> set.withMaxPerSecond(200));
    enqueue(100);
    assertThat(parts(handler(HandlerSettings.defaults())).worker().runOnce()).isEqualTo(100);
    assertThat(overlap.most()).isBetween(1, 2);
    assertThat(database.count(HELD)).isZero();
  }

  @Test
  void takers_manyAtOnce_neverShareASlot() throws Exception {
    TopicSlots slots = parts().get(TopicSlots.class);
    List<Integer> all = IntStream.range(0, 10).boxed().toList();
    slots.make(TOPIC, all);
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      for (int round = 0; round < 50; round++) {
        CountDownLatch together = new CountDownLatch(8);
        List<Callable<Set<Integer>>> takers =
            IntStream.range(0, 8)
                .<Callable<Set<Integer>>>mapToObj(
                    number ->
                        () -> {
                          together.countDown();
                          together.await();
                          return slots.take(TOPIC, new LockId("taker-" + number), all);
                        })
                .toList();
        List<Integer> taken = new ArrayList<>();
        for (Future<Set<Integer>> one : threads.invokeAll(takers)) {
          taken.addAll(one.get());
        }
        assertThat(taken).as("round " + round).doesNotHaveDuplicates();
        assertThat(database.count(HELD)).isEqualTo(taken.size());
        database.execute("UPDATE queue_slot SET lock_id = ''");
      }
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void formerName_keepsToItsOwnLimit_andHoldsTheNewOneUpNot() {
    topics.change(new Topic("former"), set -> set.withMaxInFlight(1));
    Overlap former = new Overlap();
    Module handler =
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> (context.topic().equals(TOPIC) ? overlap : former).handle(SHORT),
            HandlerSettings.defaults().withFormerTopics("former"));
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, 60)
                .mapToObj(number -> NewMessage.of("former", new Order(number)))
                .toList());
    enqueue(600);
    start(2, 4, handler);
    Orders.awaitNoneLeft(database, SOON);
    assertThat(former.ended()).isEqualTo(60);
    assertThat(former.most()).isOne();
    assertThat(overlap.ended()).isEqualTo(600);
    assertThat(overlap.most()).as("threads that no limit holds").isGreaterThan(4);
    assertThat(database.strings("SELECT DISTINCT topic FROM queue_slot")).containsExactly("former");
  }
}
