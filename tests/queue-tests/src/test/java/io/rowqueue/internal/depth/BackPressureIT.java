package io.rowqueue.internal.depth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.BackPressure;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.TopicFullException;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.operate.DepthLimit;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.operate.Topics;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.EachIsolation;
import io.rowqueue.tests.Handlers;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.Overlap;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.statement.Tap;
import io.rowqueue.tests.statement.TappedConnections;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@QueueTest
class BackPressureIT {

  private static final Topic TOPIC = new Topic("deep");
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final int PRODUCERS = 8;

  /** How late a sample may be: a judge's second and its own loop's, and a reading's. */
  private static final double LATE_SECONDS = 3;

  private final QueueDatabase database;
  private final MessageProducer producer = MessageProducer.create();
  private final BackPressure backPressure;
  private final Topics topics;

  BackPressureIT(QueueDatabase database) {
    this.database = database;
    this.backPressure = BackPressure.over(database.dataSource());
    this.topics = QueueOperations.of(database.dataSource()).topics();
  }

  private static NewMessage message() {
    return NewMessage.of(TOPIC.name(), new Order(1));
  }

  private void enqueue(int count) {
    producer.enqueueAll(database.dataSource(), Collections.nCopies(count, message()));
  }

  private long depth() {
    return database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0");
  }

  /** As a worker writes it, and as fresh. */
  private void sample(boolean full) {
    database.execute(
        "REPLACE INTO queue_depth VALUES ('deep', %b, 7, 60, 1, UTC_TIMESTAMP(6))".formatted(full));
  }

  private static Module slowly(AtomicInteger handled) {
    return slowlyUntil(new AtomicBoolean(), handled);
  }

  private static Module slowlyUntil(AtomicBoolean over, AtomicInteger handled) {
    Overlap overlap = new Overlap();
    return Handlers.bind(
        TOPIC.name(),
        (order, context) -> {
          overlap.handle(Duration.ofMillis(over.get() ? 0 : 10));
          handled.incrementAndGet();
        });
  }

  @Tag("ci")
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void producers_fasterThanTheWorker_keepTheDepthNearItsLimit(boolean waiting) throws Exception {
    topics.change(TOPIC, set -> set.withMaxDepth(200L));
    MessageProducer heeding =
        waiting
            ? producer.blockingWhenFull(backPressure, SOON)
            : producer.rejectingWhenFull(backPressure);
    AtomicBoolean over = new AtomicBoolean();
    AtomicInteger refused = new AtomicInteger();
    AtomicInteger handled = new AtomicInteger();
    ConcurrentLinkedQueue<Long> enqueuedNanos = new ConcurrentLinkedQueue<>();
    ExecutorService threads = Executors.newFixedThreadPool(PRODUCERS);
    // One handling of 10 ms at a time is slower than any machine's producers.
    try (TestWorker worker =
        TestWorker.start(database, config -> config.withThreads(1), slowlyUntil(over, handled))) {
      List<Future<?>> producers = new ArrayList<>();
      for (int i = 0; i < PRODUCERS; i++) {
        producers.add(
            threads.submit(
                () -> {
                  while (!over.get()) {
                    try {
                      heeding.enqueue(database.dataSource(), message());
                      enqueuedNanos.add(System.nanoTime());
                    } catch (TopicFullException e) {
                      refused.incrementAndGet();
                      LockSupport.parkNanos(1_000_000); // it tries again a little later
                    }
                  }
                }));
      }
      Await.that("it gets overfull", SOON, () -> depth() > 200);
      long most = mostFor(Duration.ofSeconds(3));
      over.set(true);
      for (Future<?> one : producers) {
        one.get();
      }
      assertThat(most).as("it did get overfull").isGreaterThan(200);
      assertThat(most)
          .isLessThanOrEqualTo(200 + (long) (mostInASecond(enqueuedNanos) * LATE_SECONDS) + 8);
      if (!waiting) {
        assertThat(refused).hasPositiveValue();
      }
      int enqueued = enqueuedNanos.size();
      Await.that("none is lost", SOON.multipliedBy(4), () -> handled.get() >= enqueued);
      worker.worker().drain(Duration.ofSeconds(1));
    } finally {
      threads.shutdownNow();
    }
  }

  private long mostFor(Duration time) {
    long end = System.nanoTime() + time.toNanos();
    long most = 0;
    while (System.nanoTime() < end) {
      most = Math.max(most, depth());
    }
    return most;
  }

  private static long mostInASecond(ConcurrentLinkedQueue<Long> nanos) {
    List<Long> sorted = nanos.stream().sorted().toList();
    int first = 0;
    int most = 0;
    for (int last = 0; last < sorted.size(); last++) {
      while (sorted.get(last) - sorted.get(first) > 1_000_000_000L) {
        first++;
      }
      most = Math.max(most, last - first + 1);
    }
    return most;
  }

  @Test
  void burst_thatIsWorkedOffInTime_refusesNobody() {
    topics.change(TOPIC, set -> set.withMaxDepth(10L));
    topics.change(TOPIC, set -> set.withMaxAge(Duration.ofMinutes(1)));
    enqueue(1_000);
    AtomicInteger handled = new AtomicInteger();
    try (TestWorker worker = TestWorker.start(database, slowly(handled))) {
      Await.that(
          "it is judged while more wait than may",
          SOON,
          () -> database.count("SELECT COALESCE(MAX(depth), 0) FROM queue_depth") > 10);
      producer.rejectingWhenFull(backPressure).enqueue(database.dataSource(), message());
      assertThat(backPressure.isFull(TOPIC)).isFalse();
      Await.that("all are handled", SOON, () -> handled.get() == 1_001);
      worker.worker().drain(Duration.ofSeconds(1));
    }
  }

  @Test
  void judge_thatStoodStillOnce_isNotAwaitedForLong() {
    DepthSampler judge = DepthSampler.of(Transactions.on(database.dataSource()));
    DepthLimit limit = new DepthLimit(20L, Duration.ofHours(1));
    sample(true);
    database.execute("UPDATE queue_depth SET sample_micros = 60000000");
    assertThat(judge.sample(TOPIC, limit, Collections.emptyNavigableMap())).isFalse();
    database.execute("UPDATE queue_depth SET sampled_at = sampled_at - INTERVAL 10 SECOND");
    enqueue(15);
    database.execute(
        "UPDATE queue_message SET due_at = due_at - INTERVAL 2 MINUTE, created_at = created_at -"
            + " INTERVAL 2 MINUTE ORDER BY id LIMIT 1");
    assertThat(judge.sample(TOPIC, limit, Collections.emptyNavigableMap())).isTrue();
    assertThat(database.strings("SELECT CONCAT_WS(' ', is_full, depth) FROM queue_depth"))
        .containsExactly("0 15");
    assertThat(database.count("SELECT oldest_seconds FROM queue_depth")).isBetween(120L, 150L);
    assertThat(judge.sample(TOPIC, limit, Collections.emptyNavigableMap()))
        .as("right behind another judgement")
        .isFalse();
  }

  @EachIsolation
  void refusal_leavesTheCallersTransactionAsItWas(int isolation) throws SQLException {
    topics.change(TOPIC, set -> set.withMaxDepth(1L));
    sample(true);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement()) {
      connection.setTransactionIsolation(isolation);
      connection.setAutoCommit(false);
      assertThatThrownBy(
              () -> producer.rejectingWhenFull(backPressure).enqueue(connection, message()))
          .isInstanceOf(TopicFullException.class)
          .hasMessageContaining("topic 'deep' is over its back-pressure limit: 7 messages waited")
          .hasMessageContaining("its limit is 1 waiting");
      // Had the refusal opened a snapshot, this would not be in it.
      enqueue(1);
      try (ResultSet row = statement.executeQuery("SELECT COUNT(*) FROM queue_message")) {
        row.next();
        assertThat(row.getLong(1)).isOne();
      }
      producer.enqueue(connection, message());
      connection.commit();
    }
    assertThat(depth()).isEqualTo(2);
  }

  @Test
  void waiting_goesOnWhenThereIsRoom_andGivesUpInTime() throws Exception {
    topics.change(TOPIC, set -> set.withMaxDepth(1L));
    sample(true);
    assertThatThrownBy(
            () ->
                producer
                    .blockingWhenFull(backPressure, Duration.ofMillis(300))
                    .enqueue(database.dataSource(), message()))
        .isInstanceOf(TopicFullException.class);
    CompletableFuture<Void> waits =
        CompletableFuture.runAsync(
            () ->
                producer
                    .blockingWhenFull(backPressure, SOON)
                    .enqueue(database.dataSource(), message()));
    assertThat(depth()).isZero();
    sample(false);
    waits.get(SOON.toSeconds(), TimeUnit.SECONDS);
    assertThat(depth()).isOne();
  }

  @Test
  void waiting_inATransaction_isRefusedAsAMistake() throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setAutoCommit(false);
      assertThatThrownBy(
              () -> producer.blockingWhenFull(backPressure, SOON).enqueue(connection, message()))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("BackPressure.await");
    }
  }

  @Test
  void handlers_areNotRefused_unlessTheyAskForIt() {
    topics.change(new Topic("next"), set -> set.withMaxDepth(1L));
    database.execute("INSERT INTO queue_depth VALUES ('next', 1, 7, 60, 1, UTC_TIMESTAMP(6))");
    NewMessage next = NewMessage.of("next", new Order(2));
    AtomicInteger refusals = new AtomicInteger();
    Module handler =
        Handlers.bind(
            TOPIC.name(),
            (order, context) -> {
              producer.rejectingWhenFull(backPressure).enqueue(context.connection(), next);
              try {
                producer
                    .rejectingWhenFull(backPressure.inHandlersToo())
                    .enqueue(context.connection(), next);
              } catch (TopicFullException e) {
                refusals.incrementAndGet();
              }
            });
    enqueue(3);
    try (TestWorker worker = TestWorker.start(database, handler)) {
      Await.that("three", SOON, () -> refusals.get() == 3);
      Orders.awaitCount(
          database, "SELECT COUNT(*) FROM queue_message WHERE topic = 'next'", 3, SOON);
      worker.worker().drain(Duration.ofSeconds(1));
    }
  }

  @Test
  void verdict_thatNobodyRenews_isJudgedByTheProducerItself() {
    topics.change(TOPIC, set -> set.withMaxDepth(5L));
    sample(true);
    database.execute("UPDATE queue_depth SET sampled_at = sampled_at - INTERVAL 1 HOUR");
    assertThat(backPressure.isFull(TOPIC)).isFalse();
    enqueue(10);
    Await.that(
        "it is overfull now",
        SOON,
        () -> {
          database.execute("UPDATE queue_depth SET sampled_at = sampled_at - INTERVAL 1 HOUR");
          return backPressure.isFull(TOPIC);
        });
  }

  @Test
  void verdicts_thatCannotBeRead_keepNobodyOut() {
    QueueDatabase empty = QueueDatabase.createEmpty();
    try {
      BackPressure unreadable = BackPressure.over(empty.dataSource());
      producer.rejectingWhenFull(unreadable).enqueue(database.dataSource(), message());
      assertThat(unreadable.sample(TOPIC)).isEmpty();
      assertThat(depth()).isOne();
    } finally {
      empty.close();
    }
  }

  @Test
  void firstRead_thatHangs_rejectsNoMessageOfOtherCallers() throws Exception {
    CountDownLatch opening = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    Tap hangs =
        new Tap() {
          @Override
          public void opening() {
            opening.countDown();
            Await.that("it is released", SOON, () -> released.getCount() == 0);
          }
        };
    BackPressure hanging = BackPressure.over(TappedConnections.over(database.dataSource(), hangs));
    CompletableFuture<Boolean> first = CompletableFuture.supplyAsync(() -> hanging.isFull(TOPIC));
    assertThat(opening.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
    CompletableFuture<Boolean> other = CompletableFuture.supplyAsync(() -> hanging.isFull(TOPIC));
    assertThat(other.get(SOON.toSeconds() / 2, TimeUnit.SECONDS)).isFalse();
    assertThat(first.get(SOON.toSeconds() / 2, TimeUnit.SECONDS)).isFalse();
    released.countDown();
  }

  /** Within the caller's transaction: a pool of one has no second connection for the reads. */
  @Test
  void caller_thatHoldsTheLastConnection_doesNotWaitForAnother() throws Exception {
    topics.change(TOPIC, set -> set.withMaxDepth(1L));
    sample(true);
    HikariConfig config = new HikariConfig();
    config.setDataSource(database.dataSource());
    config.setMaximumPoolSize(1);
    config.setConnectionTimeout(0);
    try (HikariDataSource pool = new HikariDataSource(config)) {
      BackPressure ofPool = BackPressure.over(pool);
      MessageProducer rejecting = producer.rejectingWhenFull(ofPool);
      within(pool, connection -> rejecting.enqueue(connection, message()));
      Await.that("it is read once the connection is free", SOON, () -> ofPool.isFull(TOPIC));
      Instant read = database.now();
      within(
          pool,
          connection -> {
            Await.that("it is older", SOON, () -> database.now().isAfter(read.plusSeconds(2)));
            assertThatThrownBy(() -> rejecting.enqueue(connection, message()))
                .isInstanceOf(TopicFullException.class);
          });
    }
    assertThat(depth()).isOne();
  }

  private static void within(DataSource pool, Consumer<Connection> work) throws Exception {
    CompletableFuture.runAsync(
            () -> {
              try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                work.accept(connection);
                connection.commit();
              } catch (SQLException e) {
                throw new AssertionError(e);
              }
            })
        .get(SOON.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void limit_thatIsTakenAway_letsEverybodyIn() {
    topics.change(TOPIC, set -> set.withMaxDepth(1L));
    sample(true);
    assertThat(backPressure.isFull(TOPIC)).isTrue();
    topics.change(TOPIC, set -> set.withMaxDepth(null));
    Await.that("there is room", SOON, () -> !backPressure.isFull(TOPIC));
    assertThat(topics.list()).allMatch(setting -> !setting.full());
    assertVerdictForSqlIsCleared();
  }

  /** What the guide has producers by SQL read; the topic's workers may be gone, too. */
  private void assertVerdictForSqlIsCleared() {
    String full = "SELECT is_full FROM queue_depth WHERE topic = 'deep'";
    assertThat(database.count(full)).isOne();
    database.execute("UPDATE queue_depth SET sampled_at = sampled_at - INTERVAL 1 MINUTE");
    try (TestWorker worker =
        TestWorker.start(
            database, LambdaHandlers.bind("another", String.class, (payload, context) -> {}))) {
      Await.that("the sample has gone with its limit", SOON, () -> database.count(full) == 0);
      worker.worker().drain(Duration.ZERO);
    }
  }

  @Test
  void workers_withoutALimit_judgeNothing() {
    AtomicInteger handled = new AtomicInteger();
    enqueue(20);
    try (TestWorker worker = TestWorker.start(database, slowly(handled))) {
      Await.that("all are handled", SOON, () -> handled.get() == 20);
      worker.worker().drain(Duration.ofSeconds(1));
    }
    assertThat(
            IntStream.of(
                (int) database.count("SELECT COUNT(*) FROM queue_depth"),
                (int) database.count("SELECT COUNT(*) FROM queue_slot"),
                (int) database.count("SELECT COUNT(*) FROM queue_rate")))
        .containsOnly(0);
  }
}
