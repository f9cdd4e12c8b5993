package io.rowqueue.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.Messages;
import io.rowqueue.operate.RefusedException;
import io.rowqueue.operate.TopicInfo;
import io.rowqueue.operate.Topics;
import io.rowqueue.operate.Workers;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.BlockingHandler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.worker.internal.maintain.OperatorPoller;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@QueueTest
class OperateIT {

  private static final Topic ORDER = new Topic("order");
  private static final Duration SOON = Duration.ofSeconds(30);

  private final MessageProducer producer = MessageProducer.create();
  private final LockId me = LockId.create("me", 1);
  private final Set<Integer> handled = ConcurrentHashMap.newKeySet();
  private TestWorker parts;

  @BeforeEach
  void parts(QueueDatabase database) {
    parts = TestWorker.create(database, config -> config, orders());
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private Module orders() {
    return Handlers.bind("order", (order, context) -> handled.add(order.number()));
  }

  private static NewMessage order(int number) {
    return NewMessage.of("order", new Order(number));
  }

  private MessageId enqueue(QueueDatabase database, int number) {
    return producer.enqueue(database.dataSource(), order(number));
  }

  private Messages messages() {
    return parts.get(Messages.class);
  }

  private Claim claim() {
    return parts.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, me, 1, 1)).get(0);
  }

  @Test
  void cancel_unclaimed_isGoneAndItsAttemptsWithIt(QueueDatabase database) {
    MessageId id = enqueue(database, 1);
    parts.get(Settler.class).retry(claim(), new AttemptError("E", "m", "t"), Duration.ofMinutes(5));
    messages().cancel(id);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
    assertThat(database.count("SELECT COUNT(*) FROM queue_attempt")).isZero();
    assertThatThrownBy(() -> messages().cancel(id))
        .isInstanceOf(RefusedException.class)
        .hasMessageContaining("no table has it");
  }

  @Test
  void inFlight_everyChangeIsRefusedAndSaysByWhom(QueueDatabase database) {
    MessageId id = enqueue(database, 1);
    claim();
    List<Runnable> changes =
        List.of(
            () -> messages().cancel(id),
            () -> messages().reschedule(id, Duration.ofMinutes(1)),
            () -> messages().prioritize(id, 3));
    for (Runnable change : changes) {
      assertThatThrownBy(change::run)
          .isInstanceOf(RefusedException.class)
          .hasMessageContaining("in flight, claimed by " + me);
    }
    assertThat(
            database.strings(
                "SELECT CONCAT(state, ' ', priority, ' ', claim_number) FROM queue_message"))
        .containsExactly("1 0 1");
  }

  @Test
  void pause_stopsEveryWorkerSoonAndOutlivesThem_resumeStartsThem(QueueDatabase database)
      throws InterruptedException {
    BlockingHandler<Order> blocking = new BlockingHandler<>();
    Module slow = Handlers.bind("slow", blocking);
    Topics topics = new JooqTopics(parts.get(io.rowqueue.internal.database.Transactions.class));
    try (TestWorker one =
            TestWorker.start(database, config -> config.withPollInterval(SOON), orders(), slow);
        TestWorker two =
            TestWorker.start(database, config -> config.withPollInterval(SOON), orders(), slow)) {
      // All threads are busy, so that no look goes by.
      producer.enqueueAll(
          database.dataSource(),
          IntStream.range(0, 8).mapToObj(i -> NewMessage.of("slow", new Order(i))).toList());
      blocking.awaitEntered(8, SOON);
      topics.pause(ORDER);
      awaitPaused(one);
      awaitPaused(two);
      enqueue(database, 1);
      producer.enqueueAll(
          database.dataSource(),
          IntStream.range(8, 208).mapToObj(i -> NewMessage.of("slow", new Order(i))).toList());
      // They poll again and again, and find the slow ones only.
      blocking.release();
      blocking.awaitEntered(200, SOON);
      assertThat(handled).isEmpty();
    }
    try (TestWorker three = TestWorker.start(database, config -> config, orders(), slow)) {
      producer.enqueue(database.dataSource(), NewMessage.of("slow", new Order(9)));
      blocking.awaitEntered(1, SOON);
      assertThat(handled).isEmpty();
      topics.resume(ORDER);
      Await.that("it is handled", SOON, () -> handled.contains(1));
    }
    assertThat(topics.list()).containsExactly(TopicInfo.none("order"));
  }

  private static void awaitPaused(TestWorker worker) {
    Await.that(
        "the worker knows the pause", SOON, () -> worker.get(OperatorPoller.class).isPaused(ORDER));
  }

  @Test
  void pauseOfAWorker_stopsItsClaimsUntilItIsResumed_andNoOther(QueueDatabase database) {
    Set<Integer> others = ConcurrentHashMap.newKeySet();
    Module other = Handlers.bind("order", (order, context) -> others.add(order.number()));
    Workers workers = parts.get(Workers.class);
    try (TestWorker paused = TestWorker.start(database, config -> config, orders())) {
      String lockId = database.strings("SELECT lock_id FROM queue_worker").get(0);
      workers.pause(lockId);
      awaitPaused(paused);
      try (TestWorker second = TestWorker.start(database, config -> config, other)) {
        producer.enqueueAll(
            database.dataSource(), IntStream.range(0, 200).mapToObj(OperateIT::order).toList());
        Await.that("the other handles all", SOON, () -> others.size() == 200);
      }
      assertThat(handled).isEmpty();
      enqueue(database, 200);
      workers.resume(lockId);
      Await.that("it claims again", SOON, () -> handled.contains(200));
      assertThat(database.strings("SELECT lock_id FROM queue_worker")).containsExactly(lockId);
    }
    assertThatThrownBy(() -> workers.pause("nobody")).isInstanceOf(RefusedException.class);
  }

  @Test
  void drain_fromAnywhere_endsThatWorkerAndNoOther(QueueDatabase database) {
    CountDownLatch requested = new CountDownLatch(1);
    try (TestWorker one = TestWorker.start(database, config -> config, orders());
        TestWorker two = TestWorker.create(database, config -> config, orders())) {
      two.worker().onDrainRequested(requested::countDown);
      two.worker().start();
      List<String> workers =
          database.strings("SELECT lock_id FROM queue_worker ORDER BY started_at");
      parts.get(Workers.class).drain(workers.get(0));
      Await.until(
          "one's row is gone",
          SOON,
          () -> database.strings("SELECT lock_id FROM queue_worker"),
          left -> left.equals(workers.subList(1, 2)));
      assertThat(requested.getCount()).isOne();
      parts.get(Workers.class).drain(workers.get(1));
      Await.that("two is asked", SOON, () -> requested.getCount() == 0);
      assertThatThrownBy(() -> parts.get(Workers.class).drain("nobody"))
          .isInstanceOf(RefusedException.class);
    }
  }
}
