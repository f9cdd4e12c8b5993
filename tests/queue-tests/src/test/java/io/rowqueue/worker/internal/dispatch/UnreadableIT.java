package io.rowqueue.worker.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadVersion;
import io.rowqueue.Topic;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.Upcasters;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class UnreadableIT {

  private static final HandlerSettings FORMERLY =
      HandlerSettings.defaults().withFormerTopics("former");

  /** The most claims that a newer order took until it was handled. */
  private static final AtomicInteger HIGHEST_CLAIM = new AtomicInteger();

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();

  UnreadableIT(QueueDatabase database) {
    this.database = database;
  }

  /** What {@link Order} has become. */
  @PayloadVersion(2)
  record NewOrder(int id, String channel) {}

  @BeforeEach
  void openBooks(QueueDatabase database) {
    HIGHEST_CLAIM.set(0);
    Orders.openBooks(database);
  }

  private static Module old() {
    return Handlers.bind("order", Orders::write);
  }

  private static Module newer() {
    Upcasters upcasters =
        Upcasters.to(NewOrder.class)
            .from(
                1,
                tree -> {
                  tree.put("channel", "web");
                  tree.put("id", tree.remove("number"));
                });
    return LambdaHandlers.bind(
        "order",
        NewOrder.class,
        UnreadableIT::write,
        HandlerSettings.defaults().withUpcasters(upcasters));
  }

  private static void write(NewOrder order, HandlerContext context) {
    assertThat(order.channel()).isIn("web", "shop");
    HIGHEST_CLAIM.accumulateAndGet(context.claimNumber(), Math::max);
    Orders.write(new Order(order.id()), context);
  }

  private List<MessageId> enqueueNewer(QueueDatabase database, int from, int to) {
    return producer.enqueueAll(
        database.dataSource(),
        IntStream.range(from, to)
            .mapToObj(id -> NewMessage.of("order", new NewOrder(id, "shop")))
            .toList());
  }

  @Test
  void fleetOfTwoVersions_handlesBothOnceAndSetsNothingAside(QueueDatabase database) {
    enqueueNewer(database, 40, 80);
    Orders.enqueueAll(database, 40);
    try (TestWorker before = TestWorker.start(database, old())) {
      Orders.awaitCount(database, "SELECT COUNT(*) > 0 FROM queue_message WHERE state = 2", 1);
      try (TestWorker after = TestWorker.start(database, newer())) {
        Orders.awaitWithoutRests(
            database, "one that was given back is read", () -> HIGHEST_CLAIM.get() > 1);
        before.close();
        Orders.awaitNoneLeftWithoutRests(database);
      }
    }
    Orders.assertHandled(database, 80, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(database.count(Orders.DEAD)).isZero();
    assertThat(HIGHEST_CLAIM.get()).as("given back by the older worker").isGreaterThan(1);
  }

  @Test
  void newerMessages_inAnOldFleet_waitUncountedAndLeaveOtherTopicsAlone(QueueDatabase database) {
    enqueueNewer(database, 0, 200);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            old(),
            Handlers.bind("other", (order, context) -> Orders.write(order, context)))) {
      Orders.awaitCount(
          database, "SELECT COUNT(*) > 0 FROM queue_message WHERE claim_number > 0", 1);
      producer.enqueueAll(
          database.dataSource(),
          IntStream.range(0, 100).mapToObj(i -> NewMessage.of("other", new Order(i))).toList());
      Orders.awaitCount(database, Orders.HANDLED, 100);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(200);
    assertThat(database.count("SELECT SUM(attempts) + SUM(lost_claims) FROM queue_message"))
        .isZero();
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void newerMessages_aheadOfReadableOnesOfTheirTopic_doNotHoldThoseUp(QueueDatabase database) {
    enqueueNewer(database, 1_000, 2_000);
    Orders.enqueueAll(database, 50);
    try (TestWorker worker = TestWorker.start(database, old())) {
      Orders.awaitCount(database, Orders.HANDLED, 50);
    }
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1_000);
    assertThat(database.count("SELECT MIN(claim_number) FROM queue_message")).isPositive();
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void runOnce_withUnreadableMessagesAhead_handlesAllTheOthers(QueueDatabase database) {
    enqueueNewer(database, 1_000, 1_020);
    Orders.enqueueAll(database, 10);
    TestWorker worker = TestWorker.create(database, config -> config.withThreads(1), old());
    assertThat(worker.worker().runOnce()).isEqualTo(10);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isEqualTo(20);
  }

  @Test
  void newerMessage_thatNobodyReadsInTime_isSetAsideAndRedriven(QueueDatabase database) {
    MessageId id = enqueueNewer(database, 7, 8).get(0);
    Duration soon = Duration.ofSeconds(1);
    try (TestWorker worker =
        TestWorker.start(database, config -> config.withUnreadableTimeout(soon), old())) {
      // The second time that it is read is too late.
      String rests =
          "UPDATE queue_message SET due_at = UTC_TIMESTAMP(6) WHERE state = 2 AND updated_at <"
              + " UTC_TIMESTAMP(6) - INTERVAL 1 SECOND";
      Await.that(
          "it is a dead letter",
          Orders.SOON,
          () -> {
            database.execute(rests);
            return database.count(Orders.DEAD) == 1;
          });
      assertThat(Orders.awaitDeadLetter(database)).isEqualTo("unreadable");
    }
    assertThat(database.strings("SELECT claim_number FROM queue_dead_letter")).containsExactly("2");
    try (TestWorker worker = TestWorker.start(database, newer())) {
      worker.get(DeadLetters.class).redrive(id);
      Orders.awaitCount(database, Orders.HANDLED, 1);
      Orders.awaitNoneLeft(database);
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("7");
  }

  @Test
  void deadLetter_ofAnOldVersion_redrivesIntoANewWorker(QueueDatabase database) {
    MessageId id = Orders.enqueue(database, 5);
    Orders.assertDies(
        database,
        "attempts-exhausted",
        Orders.handledBy(
            database,
            (order, context) -> {
              throw new IllegalStateException("no");
            }));
    try (TestWorker worker = TestWorker.start(database, newer())) {
      worker.get(DeadLetters.class).redrive(id);
      Orders.awaitCount(database, Orders.HANDLED, 1);
    }
    assertThat(database.strings("SELECT number FROM handled")).containsExactly("5");
  }

  /** Its numbers begin where those of the orders end. */
  private void enqueueLater(int from, int to) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(from, to).mapToObj(i -> NewMessage.of("later", new Order(i))).toList());
  }

  private void assertUntouched(int count) {
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', topic, state, claim_number, attempts, lost_claims, lock_id,"
                    + " COUNT(*)) FROM queue_message GROUP BY topic, state, claim_number, attempts,"
                    + " lost_claims, lock_id"))
        .containsExactly("later 0 0 0 0  " + count);
  }

  @Test
  void messages_ofATopicThatAWorkerDoesNotKnow_areLeftForOneThatDoes() {
    enqueueLater(21, 41);
    Orders.enqueueAll(database, 20);
    try (TestWorker worker = Orders.handledBy(database, Orders::write)) {
      Orders.awaitCount(database, Orders.HANDLED, 20);
      // Handled by a look that those before it have not ended.
      Orders.enqueue(database, 20);
      Orders.awaitCount(database, Orders.HANDLED, 21);
      assertUntouched(20);
      try (TestWorker other = TestWorker.start(database, Handlers.bind("later", Orders::write))) {
        Orders.awaitNoneLeft(database);
      }
    }
    Orders.assertHandled(database, 41, Set.of());
    assertThat(database.count(Orders.DEAD)).isZero();
  }

  @Test
  void runOnce_concurrentWithATopicThatItDoesNotKnow_endsAndLeavesIt() {
    enqueueLater(10, 15);
    Orders.enqueueAll(database, 10);
    try (TestWorker worker =
        TestWorker.create(database, config -> config, Handlers.bind("order", Orders::write))) {
      assertThat(worker.worker().runOnce()).isEqualTo(10);
    }
    assertUntouched(5);
  }

  private void enqueue(QueueDatabase database, int from, int to) {
    producer.enqueueAll(
        database.dataSource(),
        IntStream.range(from, to)
            .mapToObj(i -> NewMessage.of(i % 2 == 0 ? "order" : "former", new Order(i)))
            .toList());
  }

  @Test
  void messages_underBothNames_areHandledByOneHandler(QueueDatabase database) {
    enqueue(database, 0, 100);
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Module handler =
        Handlers.bind(
            "order",
            (order, context) -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              assertThat(context.binding()).isEqualTo(new Topic("order"));
              String topic = order.number() % 2 == 0 ? "order" : "former";
              assertThat(context.topic()).isEqualTo(new Topic(topic));
              Orders.write(order, context);
              running.decrementAndGet();
            },
            FORMERLY.withMaxThreads(1));
    Orders.drain(database, TestWorker.start(database, config -> config, handler));
    Orders.assertHandled(database, 100, Set.of());
    assertThat(most).as("at once, of both names").hasValue(1);
  }

  @Test
  void worker_ofTheNewNameOnly_claimsTheFormerOne(QueueDatabase database) {
    enqueue(database, 0, 10);
    Orders.drain(
        database,
        TestWorker.start(
            database,
            config -> config.withTopics(Set.of(new Topic("order"))),
            Handlers.bind("order", Orders::write, FORMERLY)));
    Orders.assertHandled(database, 10, Set.of());
  }
}
