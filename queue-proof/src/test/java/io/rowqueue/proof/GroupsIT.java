package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.CreationException;
import com.google.inject.Guice;
import com.google.inject.Module;
import com.google.inject.multibindings.OptionalBinder;
import io.rowqueue.database.TransactionProbe;
import io.rowqueue.database.Transition;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.PermanentFailure;
import io.rowqueue.message.NewMessage;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.WorkerConfig;
import io.rowqueue.worker.WorkerModule;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Messages that are handled, committed or acked together. */
@QueueTest
class GroupsIT {

  private static final Duration SOON = Duration.ofSeconds(30);
  private static final HandlerSettings SHARED = HandlerSettings.defaults().withSharedCommit();

  private final AtomicInteger acks = new AtomicInteger();

  @BeforeEach
  void businessTable(QueueDatabase database) {
    database.execute(
        "CREATE TABLE IF NOT EXISTS handled (number INT NOT NULL, attempt INT NOT NULL)",
        "DELETE FROM handled");
  }

  /** One thread, so that what waits for it is a group. */
  private static WorkerConfig oneThread(WorkerConfig config) {
    return config.withThreads(1);
  }

  private static void enqueue(QueueDatabase database, int count) {
    MessageProducer.create()
        .enqueueAll(
            database.dataSource(),
            IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList());
  }

  private static void write(Order order, HandlerContext context) {
    context
        .transaction()
        .execute("INSERT INTO handled VALUES (?, ?)", order.number(), context.attempt());
  }

  private Module countingAcks() {
    TransactionProbe probe =
        new TransactionProbe() {
          @Override
          public void afterCommit(Transition transition) {
            if (transition == Transition.ACK) {
              acks.incrementAndGet();
            }
          }
        };
    return binder ->
        OptionalBinder.newOptionalBinder(binder, TransactionProbe.class)
            .setBinding()
            .toInstance(probe);
  }

  private static void awaitEmptyQueue(QueueDatabase database) {
    Await.until(
        "the queue is empty",
        SOON,
        () -> database.strings("SELECT CONCAT(id, ' in state ', state) FROM queue_message"),
        List::isEmpty);
  }

  /** Every number below {@code count} but {@code without} was handled exactly once. */
  private static void assertEffects(QueueDatabase database, int count, Set<Integer> without) {
    assertThat(database.strings("SELECT number FROM handled ORDER BY number"))
        .containsExactlyElementsOf(
            IntStream.range(0, count)
                .filter(number -> !without.contains(number))
                .mapToObj(Integer::toString)
                .toList());
  }

  private static List<String> deadLetters(QueueDatabase database) {
    return database.strings(
        "SELECT CONCAT(JSON_EXTRACT(CONVERT(payload USING utf8mb4), '$.number'), ' ', reason, ' ',"
            + " attempts) FROM queue_dead_letter ORDER BY id");
  }

  @Test
  void batch_ofManyMessages_isHandledAndDeletedTogether(QueueDatabase database) {
    enqueue(database, 300);
    ConcurrentLinkedQueue<Integer> sizes = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(2),
            countingAcks(),
            Handlers.bindBatch(
                "order",
                batch -> {
                  sizes.add(batch.size());
                  batch.forEach(each -> write(each.payload(), each.context()));
                },
                HandlerSettings.defaults().withBatchSize(20)))) {
      awaitEmptyQueue(database);
    }
    assertEffects(database, 300, Set.of());
    assertThat(sizes).allMatch(size -> size <= 20).anyMatch(size -> size > 1);
    assertThat(acks.get()).isEqualTo(sizes.size());
  }

  @Test
  void batch_withOneThatCannotBeHandled_onlyThatOnePays(QueueDatabase database) {
    enqueue(database, 40);
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            Handlers.bindBatch(
                "order",
                batch -> {
                  batch.forEach(each -> write(each.payload(), each.context()));
                  if (batch.stream().anyMatch(each -> each.payload().number() == 7)) {
                    throw new IllegalStateException("seven");
                  }
                },
                HandlerSettings.defaults()))) {
      awaitEmptyQueue(database);
    }
    assertEffects(database, 40, Set.of(7));
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
    assertThat(deadLetters(database)).containsExactly("7 attempts-exhausted 3");
  }

  @Test
  void batch_withOneLostClaim_isRolledBackAndTheRestIsGivenBackUncounted(QueueDatabase database)
      throws InterruptedException {
    enqueue(database, 10);
    CountDownLatch stolen = new CountDownLatch(1);
    ConcurrentLinkedQueue<Integer> firstBatch = new ConcurrentLinkedQueue<>();
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            Handlers.bindBatch(
                "order",
                batch -> {
                  batch.forEach(each -> write(each.payload(), each.context()));
                  if (batch.size() > 1 && stolen.getCount() > 0) {
                    batch.forEach(each -> firstBatch.add(each.payload().number()));
                    steal(database, batch.get(1).context());
                    stolen.countDown();
                  }
                },
                HandlerSettings.defaults()))) {
      awaitEmptyQueue(database);
    }
    assertThat(firstBatch).hasSizeGreaterThan(1);
    assertEffects(database, 10, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  /** As a reap and another worker's claim would, but that the message is available again. */
  private static void steal(QueueDatabase database, HandlerContext context) {
    database.execute(
        "UPDATE queue_message SET state = 0, lock_id = '', claims = claims + 1 WHERE id = "
            + context.id());
  }

  @Test
  void sharedCommit_manyMessages_fewCommits(QueueDatabase database) {
    enqueue(database, 500);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            countingAcks(),
            Handlers.bind("order", GroupsIT::write, SHARED))) {
      awaitEmptyQueue(database);
    }
    assertEffects(database, 500, Set.of());
    assertThat(acks.get()).isLessThan(500);
  }

  @Test
  void sharedCommit_everyTenthFails_itsNeighboursAreUnharmed(QueueDatabase database) {
    enqueue(database, 100);
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            countingAcks(),
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() % 10 == 3) {
                    throw new PermanentFailure("three");
                  }
                },
                SHARED))) {
      awaitEmptyQueue(database);
    }
    Set<Integer> failing =
        IntStream.range(0, 10).mapToObj(ten -> 10 * ten + 3).collect(Collectors.toSet());
    assertEffects(database, 100, failing);
    assertThat(deadLetters(database)).hasSize(10).allMatch(dead -> dead.endsWith(" 1"));
    assertThat(acks.get()).isLessThan(90);
  }

  @Test
  void sharedCommit_oneCommitsBySqlText_itsNeighboursEffectsHappenOnce(QueueDatabase database) {
    enqueue(database, 40);
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() == 20) {
                    context.transaction().execute("COMMIT");
                  }
                },
                SHARED))) {
      awaitEmptyQueue(database);
    }
    // What number 20 wrote before its COMMIT is there: that is what it did to itself.
    assertEffects(database, 40, Set.of());
    assertThat(deadLetters(database)).containsExactly("20 left-transaction 1");
  }

  @Test
  void sharedCommit_oneSwallowsADeadlock_everyEffectHappensOnce(QueueDatabase database) {
    enqueue(database, 40);
    Set<Integer> deadlocked = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() % 10 == 5 && deadlocked.add(order.number())) {
                    swallowDeadlock(context);
                  }
                },
                SHARED))) {
      awaitEmptyQueue(database);
    }
    assertThat(deadlocked).hasSize(4);
    assertEffects(database, 40, Set.of());
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled")).containsExactly("1");
  }

  /** The error as the server sends it, without the second transaction that it takes. */
  private static void swallowDeadlock(HandlerContext context) throws SQLException {
    try (var statement = context.connection().createStatement()) {
      statement.execute("SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = 1213");
    } catch (SQLException e) {
      assertThat(e.getErrorCode()).isEqualTo(1213);
    }
  }

  @Test
  void sharedCommit_oneIsLost_leavesNoTraceAndItsNeighboursCommit(QueueDatabase database) {
    enqueue(database, 40);
    Set<Integer> stolen = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            countingAcks(),
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() == 11 && stolen.add(11)) {
                    steal(database, context);
                  }
                },
                SHARED))) {
      awaitEmptyQueue(database);
    }
    assertEffects(database, 40, Set.of());
    assertThat(stolen).containsExactly(11);
    assertThat(acks.get()).isLessThan(40);
  }

  @Test
  void sharedCommit_oneHangs_itFailsAndItsNeighboursHappenOnce(QueueDatabase database) {
    enqueue(database, 30);
    Set<Integer> hung = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            GroupsIT::oneThread,
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() == 9 && hung.add(9)) {
                    context.transaction().execute("SELECT SLEEP(60)");
                  }
                },
                SHARED.withTimeout(Duration.ofMillis(300))))) {
      awaitEmptyQueue(database);
    }
    assertEffects(database, 30, Set.of());
    assertThat(database.strings("SELECT attempt FROM handled WHERE number = 9"))
        .containsExactly("2");
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled WHERE number <> 9"))
        .containsExactly("1");
  }

  @Test
  void sharedCommit_oneHeedsNothing_itsNeighboursHappenOnce(QueueDatabase database) {
    enqueue(database, 20);
    Set<Integer> deaf = ConcurrentHashMap.newKeySet();
    CountDownLatch testIsOver = new CountDownLatch(1);
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config.withThreads(1).withLease(Duration.ofSeconds(3)),
            Handlers.bind(
                "order",
                (order, context) -> {
                  write(order, context);
                  if (order.number() == 9 && deaf.add(9)) {
                    awaitDeaf(testIsOver);
                  }
                },
                SHARED.withTimeout(Duration.ofMillis(300))))) {
      awaitEmptyQueue(database);
      testIsOver.countDown();
    }
    assertEffects(database, 20, Set.of());
    assertThat(database.strings("SELECT attempt FROM handled WHERE number = 9"))
        .containsExactly("2");
    assertThat(database.strings("SELECT DISTINCT attempt FROM handled WHERE number <> 9"))
        .containsExactly("1");
  }

  private static void awaitDeaf(CountDownLatch end) {
    boolean over = false;
    while (!over) {
      try {
        end.await();
        over = true;
      } catch (InterruptedException e) {
        over = false;
      }
    }
  }

  @Test
  void groupedAcks_handlersWithoutTransaction_fewCommitsAndADrainLeavesNone(
      QueueDatabase database) {
    enqueue(database, 3_000);
    Set<Integer> handled = ConcurrentHashMap.newKeySet();
    try (TestWorker worker =
        TestWorker.start(
            database,
            config -> config,
            countingAcks(),
            Handlers.bind(
                "order",
                (order, context) -> handled.add(order.number()),
                HandlerSettings.defaults().withoutTransaction()))) {
      Await.until("half is handled", SOON, handled::size, size -> size > 1_500);
      worker.worker().drain(SOON);
      assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isZero();
      assertThat(database.count("SELECT COUNT(*) FROM queue_message"))
          .isEqualTo(3_000 - handled.size());
      assertThat(acks.get()).isLessThan(handled.size() / 2);
    }
  }

  @Test
  void settings_thatContradictEachOther_areRefusedWhereTheyStand(QueueDatabase database) {
    assertRefused(
        database,
        Handlers.bind("order", (order, context) -> {}, SHARED.withoutTransaction()),
        "there is none to share");
    assertRefused(
        database,
        Handlers.bindBatch("order", batch -> {}, SHARED),
        "a batch shares its commit by itself");
    assertRefused(
        database,
        Handlers.bind("order", (order, context) -> {}, HandlerSettings.defaults().withBatchSize(5)),
        "withBatchSize() is for a BatchHandler");
  }

  private static void assertRefused(QueueDatabase database, Module handlers, String why) {
    assertThatThrownBy(
            () ->
                Guice.createInjector(
                    handlers, new WorkerModule(WorkerConfig.defaults(database.config()))))
        .isInstanceOf(CreationException.class)
        .hasMessageContaining("order")
        .hasMessageContaining(why);
  }
}
