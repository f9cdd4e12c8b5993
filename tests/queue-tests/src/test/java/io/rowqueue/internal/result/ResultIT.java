package io.rowqueue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.inject.AbstractModule;
import com.google.inject.Module;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.rowqueue.AwaitTimeoutException;
import io.rowqueue.DeadLetterException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.PayloadException;
import io.rowqueue.ResultUnavailableException;
import io.rowqueue.Results;
import io.rowqueue.Topic;
import io.rowqueue.WorkerNotifier;
import io.rowqueue.handler.ClaimLostException;
import io.rowqueue.handler.HandlerContext;
import io.rowqueue.handler.HandlerSettings;
import io.rowqueue.handler.PermanentFailure;
import io.rowqueue.handler.ResultHandler;
import io.rowqueue.handler.WrapperBinder;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.Claim.Handled;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.FollowUps;
import io.rowqueue.internal.claim.HandlerResult;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.Transition;
import io.rowqueue.internal.listen.ListenerSleep;
import io.rowqueue.internal.order.Orders;
import io.rowqueue.internal.seal.Keysets;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.QueueOperations;
import io.rowqueue.spi.Sealed;
import io.rowqueue.spi.Wrapping;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.CountedStatements;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.Assertions;
import org.jooq.impl.DSL;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@QueueTest
class ResultIT {

  private static final String RESULTS =
      "SELECT CONCAT(message_id, ' ', topic, ' ', COALESCE(CONVERT(content USING utf8mb4)"
          + " COLLATE utf8mb4_bin, 'null'))"
          + " FROM queue_result ORDER BY message_id";

  private static final Duration HOUR = Duration.ofHours(1);
  private static final HandlerSettings KEPT = HandlerSettings.defaults().withResults(HOUR);

  private static final String LISTENER =
      "SELECT listener_connection FROM queue_result_listener WHERE lease_until > UTC_TIMESTAMP(6)";

  private final HikariDataSource pool;
  private final Results results;
  private final MessageProducer producer = MessageProducer.create();
  private final QueueDatabase database;

  record Price(int number, int cents) {}

  ResultIT(QueueDatabase database) {
    this.database = database;
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(database.url());
    config.setMaximumPoolSize(4);
    this.pool = new HikariDataSource(config);
    this.results = Results.over(pool);
  }

  @BeforeEach
  void openBooks() {
    Orders.openBooks(database);
  }

  private static Price price(Order order, HandlerContext context) {
    Orders.write(order, context);
    return new Price(order.number(), order.number() * 100);
  }

  private static Module pricing(ResultHandler<Order, Price> handler, HandlerSettings settings) {
    return LambdaHandlers.bindResult("order", Order.class, handler, settings);
  }

  private void handleAll(Module handlers) {
    Orders.drain(database, TestWorker.start(database, handlers));
  }

  private List<String> expected(int count) {
    long first = database.count("SELECT COALESCE(MIN(message_id), 0) FROM queue_result");
    return IntStream.range(0, count)
        .mapToObj(
            number ->
                "%d order {\"number\":%d,\"cents\":%d}"
                    .formatted(first + number, number, number * 100))
        .toList();
  }

  @Test
  void transactional_keepsItWithTheEffect() {
    Orders.enqueueAll(database, 20);
    handleAll(pricing(ResultIT::price, KEPT));
    assertThat(database.strings(RESULTS)).containsExactlyElementsOf(expected(20));
    assertThat(database.count(Orders.HANDLED)).isEqualTo(20);
    assertThat(
            database.count(
                "SELECT COUNT(*) FROM queue_result WHERE TIMESTAMPDIFF(SECOND, settled_at,"
                    + " expires_at) = 3600"))
        .isEqualTo(20);
  }

  @Test
  void sharedCommit_keepsEach_alsoWhereOneFailsInBetween() {
    Orders.enqueueAll(database, 40);
    ConcurrentHashMap<Integer, Boolean> failed = new ConcurrentHashMap<>();
    handleAll(
        pricing(
            (order, context) -> {
              if (order.number() == 17 && failed.put(17, true) == null) {
                throw new IllegalStateException("once");
              }
              return price(order, context);
            },
            KEPT.withSharedCommit()));
    assertThat(database.strings(RESULTS)).containsExactlyElementsOf(expected(40));
    assertThat(database.count(Orders.HANDLED)).isEqualTo(40);
  }

  @Test
  void withoutTransaction_keepsEachOfAGroup() {
    Orders.enqueueAll(database, 200);
    handleAll(
        pricing(
            (order, context) -> new Price(order.number(), order.number() * 100),
            KEPT.withoutTransaction()));
    assertThat(database.strings(RESULTS)).containsExactlyElementsOf(expected(200));
  }

  @Test
  void withoutTheSetting_isDropped() {
    Orders.enqueue(database, 1);
    handleAll(pricing(ResultIT::price, HandlerSettings.defaults()));
    assertThat(database.strings(RESULTS)).isEmpty();
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** The second attempt would do the handler's work once more, for the same end. */
  @Test
  void tooLarge_isADeadLetterAtOnce_withItsSize() {
    Orders.enqueue(database, 1);
    handleAll(pricing(ResultIT::price, HandlerSettings.defaults().withResults(HOUR, 10)));
    assertThat(Orders.awaitDeadLetter(database)).isEqualTo("permanent-failure");
    assertThat(database.strings("SELECT detail FROM queue_dead_letter").get(0))
        .contains("24 bytes", "allows at most 10", "withResults(keepFor, mostBytes)");
    assertThat(database.strings(RESULTS)).isEmpty();
    assertThat(database.count(Orders.HANDLED)).isZero();
  }

  @Test
  void failedAttempts_leaveNone_andTheLastOneDoes() {
    Orders.enqueueAll(database, 1);
    handleAll(
        pricing(
            (order, context) -> {
              Price price = price(order, context);
              if (context.attempt() < 3) {
                throw new IllegalStateException("not yet");
              }
              return price;
            },
            KEPT));
    assertThat(database.strings(RESULTS)).containsExactlyElementsOf(expected(1));
    assertThat(database.count(Orders.HANDLED)).isOne();
  }

  /** A deadlock that the handler met has the whole transaction run again. */
  @Test
  void repeatedTransaction_keepsThatOfTheLastRun() {
    Orders.enqueueAll(database, 1);
    ConcurrentHashMap<Integer, Integer> runs = new ConcurrentHashMap<>();
    handleAll(
        pricing(
            (order, context) -> {
              int run = runs.merge(order.number(), 1, Integer::sum);
              if (run == 1) {
                Orders.swallowDeadlock(context);
              }
              return new Price(order.number(), run);
            },
            KEPT));
    assertThat(database.strings("SELECT CONVERT(content USING utf8mb4) FROM queue_result"))
        .containsExactly("{\"number\":0,\"cents\":2}");
  }

  @Test
  void lostClaim_leavesNone_aloneAndInAGroup() {
    Orders.enqueueAll(database, 3);
    try (TestWorker worker = TestWorker.create(database, config -> config)) {
      Settler settler = worker.get(Settler.class);
      List<Claim> claims =
          worker
              .get(ClaimStrategy.class)
              .claim(new ClaimRequest(new Topic("order"), LockId.create("h", 1), 3, 3))
              .stream()
              .map(ResultIT::withResult)
              .toList();
      assertThat(claims).hasSize(3);
      Claim lost = claims.get(1);
      database.execute(
          "UPDATE queue_message SET claim_number = claim_number + 1 WHERE id = " + lost.id());
      Assertions.assertThatExceptionOfType(ClaimLostException.class)
          .isThrownBy(
              () ->
                  worker
                      .get(Transactions.class)
                      .run(
                          Transition.ACK,
                          tx -> {
                            settler.ack(tx, lost);
                            return true;
                          }));
      assertThat(database.strings(RESULTS)).isEmpty();
      assertThat(settler.ackAll(claims)).isEqualTo(2);
      assertThat(database.strings("SELECT message_id FROM queue_result ORDER BY message_id"))
          .containsExactly(claims.get(0).id().toString(), claims.get(2).id().toString());
    }
  }

  private static Claim withResult(Claim claim) {
    byte[] content = claim.id().toString().getBytes(StandardCharsets.UTF_8);
    return claim.withHandled(
        new Handled(new HandlerResult(null, content, HOUR, null), FollowUps.NOTHING, 0));
  }

  /** Several statements, none of which exceeds what the smallest server takes. */
  @Test
  void manyLargeResults_areWrittenInOneTransaction() {
    Orders.enqueueAll(database, 30);
    String large = "x".repeat(60_000);
    handleAll(
        LambdaHandlers.bindResult(
            "order", Order.class, (order, context) -> large, KEPT.withSharedCommit()));
    assertThat(database.count("SELECT COUNT(*) FROM queue_result WHERE LENGTH(content) = 60002"))
        .isEqualTo(30);
  }

  /** The last one is a query that nobody has executed, and a publisher of reactive streams. */
  static Stream<Object> workThatMayNotBeDone() {
    return Stream.of(
        CompletableFuture.completedFuture(1), new FutureTask<>(() -> 1), DSL.selectOne());
  }

  /** Its work would be outside the transaction, and its failure unseen. */
  @ParameterizedTest
  @MethodSource
  void workThatMayNotBeDone(Object later) {
    Orders.enqueueAll(database, 1);
    handleAll(
        LambdaHandlers.bindResult(
            "order",
            Order.class,
            (order, context) -> later,
            HandlerSettings.defaults().withMaxAttempts(1)));
    assertThat(database.strings("SELECT detail FROM queue_dead_letter"))
        .singleElement()
        .asString()
        .contains(later.getClass().getName() + ", whose work may not be done yet");
  }

  @Test
  void wrapped_isSealedForItsTopicAndNoPayloadOfIt() throws Exception {
    Sealed seal = Sealed.with(Keysets.fresh());
    MessageId id = Orders.enqueue(database, 7);
    Module wrappers =
        new AbstractModule() {
          @Override
          protected void configure() {
            WrapperBinder.wrap(binder(), Wrapping.none().forTopic("order", seal));
            install(pricing(ResultIT::price, KEPT));
          }
        };
    handleAll(wrappers);
    assertThat(database.strings("SELECT headers FROM queue_result"))
        .containsExactly("{\"rowqueue-wrapped\":\"sealed\"}");
    assertThat(database.count("SELECT COUNT(*) FROM queue_result WHERE content LIKE '%cents%'"))
        .isZero();
    try (Results results = Results.over(database.dataSource())) {
      Results readable = results.reading(io.rowqueue.spi.PayloadCodec.json(), seal);
      assertThat(readable.await(id, Price.class, Orders.SOON)).isEqualTo(new Price(7, 700));
      Assertions.assertThatExceptionOfType(io.rowqueue.spi.UnreadableException.class)
          .isThrownBy(() -> results.await(id, Price.class, Orders.SOON));
    }
  }

  @Test
  void prune_takesWhatIsOver_andNothingElse() {
    database.execute(
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) SELECT id, 't',"
            + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL id MINUTE FROM (SELECT -1 AS id UNION"
            + " SELECT -2 UNION SELECT 1) AS ids",
        "INSERT INTO queue_result_listener VALUES ('here', 1, 's', UTC_TIMESTAMP(6) - INTERVAL 59"
            + " MINUTE), ('gone', 1, 's', UTC_TIMESTAMP(6) - INTERVAL 61 MINUTE)");
    try (TestWorker worker = TestWorker.create(database, config -> config)) {
      ResultPruning pruning = worker.get(ResultPruning.class);
      assertThat(pruning.prune(1)).isOne();
      assertThat(pruning.prune(10)).isOne();
      assertThat(pruning.prune(10)).isZero();
    }
    assertThat(database.strings("SELECT message_id FROM queue_result")).containsExactly("1");
    assertThat(database.strings("SELECT listener FROM queue_result_listener"))
        .containsExactly("here");
  }

  /** As by a pool or an agent that interrupts threads which are not its own. */
  @Test
  void threadsThatAreInterrupted_goOn() throws Exception {
    MessageId id = Orders.enqueue(database, 7);
    CompletableFuture<@Nullable Price> price = results.awaiting(id, Price.class);
    Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("rowqueue-results-"))
        .forEach(Thread::interrupt);
    handleAll(pricing(ResultIT::price, KEPT));
    assertThat(price.get(Orders.SOON.toSeconds(), TimeUnit.SECONDS)).isEqualTo(new Price(7, 700));
  }

  @AfterEach
  void close() {
    results.close();
    pool.close();
  }

  private TestWorker worker(ResultHandler<Order, Integer> handler) {
    return TestWorker.start(database, doubling(handler));
  }

  private static Module doubling(ResultHandler<Order, Integer> handler) {
    return LambdaHandlers.bindResult("order", Order.class, handler, KEPT);
  }

  private static NewMessage order(int number) {
    return NewMessage.of("order", new Order(number));
  }

  private @Nullable Integer enqueueAndAwait(int number) throws InterruptedException {
    return results.enqueueAndAwait(producer, order(number), Integer.class, Orders.SOON);
  }

  @Test
  void enqueueAndAwait_givesWhatTheHandlerGave() throws Exception {
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      for (int number = 0; number < 20; number++) {
        assertThat(enqueueAndAwait(number)).isEqualTo(2 * number);
      }
    }
  }

  /** Without one, a sleep takes its whole second, and there are no more of them than seconds. */
  @Test
  void ring_endsTheSleep() throws Exception {
    CountedStatements sleeps = CountedStatements.sleeps();
    try (TestWorker worker = worker((order, context) -> 2 * order.number());
        Results counted = Results.over(sleeps.over(pool))) {
      long begin = System.nanoTime();
      Await.until(
          "ten more sleeps than seconds",
          Orders.SOON,
          () -> {
            assertThat(counted.enqueueAndAwait(producer, order(7), Integer.class, Orders.SOON))
                .isEqualTo(14);
            return sleeps.count() - TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
          },
          more -> more > 10);
      assertThat(database.count(LISTENER)).isPositive();
    }
  }

  /** What the waits of other processes, rings that nobody may send, and lost rings come to. */
  @Test
  void withoutANotification_thePollFindsIt() throws Exception {
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      MessageId id = producer.enqueue(database.dataSource(), order(21));
      assertThat(results.await(id, Integer.class, Orders.SOON)).isEqualTo(42);
    }
  }

  @Test
  void await_afterTheEnd_findsItAtOnce() throws Exception {
    MessageId id = producer.enqueue(database.dataSource(), order(21));
    Orders.drain(database, worker((order, context) -> 2 * order.number()));
    assertThat(results.await(id, Integer.class, Orders.SOON)).isEqualTo(42);
    assertThat(results.awaiting(id, Integer.class).get(20, TimeUnit.SECONDS)).isEqualTo(42);
  }

  /** A thousand threads' worth of waits, and one connection beside the look's. */
  @Test
  void manyWaits_shareOneConnection() throws Exception {
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      List<MessageId> ids =
          producer.enqueueAll(
              database.dataSource(), IntStream.range(0, 1_000).mapToObj(ResultIT::order).toList());
      List<CompletableFuture<Integer>> waits =
          ids.stream().map(id -> results.awaiting(id, Integer.class)).toList();
      int most = 0;
      for (int number = 0; number < 1_000; number++) {
        most = Math.max(most, pool.getHikariPoolMXBean().getTotalConnections());
        assertThat(waits.get(number).get(60, TimeUnit.SECONDS)).isEqualTo(2 * number);
      }
      assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isLessThanOrEqualTo(2);
    }
  }

  @Test
  void await_thatTakesTooLong_isOver_andTheMessageGoesOn() throws Exception {
    MessageId id = producer.enqueue(database.dataSource(), order(21));
    assertThatExceptionOfType(AwaitTimeoutException.class)
        .isThrownBy(() -> results.await(id, Integer.class, Duration.ofMillis(50)))
        .satisfies(e -> assertThat(e.id()).isEqualTo(id))
        .withMessageContaining("can be awaited again");
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      assertThat(results.await(id, Integer.class, Orders.SOON)).isEqualTo(42);
    }
  }

  @Test
  void deadLetter_endsTheAwait_andItsRedriveCanBeAwaited() throws Exception {
    AtomicReference<String> broken = new AtomicReference<>("no such article");
    try (TestWorker worker =
        worker(
            (order, context) -> {
              if (broken.get() != null) {
                throw new PermanentFailure(broken.get());
              }
              return 42;
            })) {
      AtomicReference<MessageId> id = new AtomicReference<>();
      assertThatExceptionOfType(DeadLetterException.class)
          .isThrownBy(() -> enqueueAndAwait(1))
          .withMessageContaining("no such article")
          .satisfies(
              e -> {
                id.set(e.id());
                assertThat(e.reason()).isEqualTo("permanent-failure");
                assertThat(e.detail()).contains("no such article");
              });
      broken.set(null);
      QueueOperations.of(database.dataSource())
          .deadLetters()
          .redrive(Objects.requireNonNull(id.get()));
      assertThat(results.await(Objects.requireNonNull(id.get()), Integer.class, Orders.SOON))
          .isEqualTo(42);
    }
  }

  @Test
  void cancelledMessage_isUnavailable_onTwoLooks() {
    MessageId id = producer.enqueue(database.dataSource(), order(1));
    CompletableFuture<Integer> wait = results.awaiting(id, Integer.class);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_result_listener", 1);
    QueueOperations.of(database.dataSource()).messages().cancel(id);
    assertUnavailable(wait, id);
  }

  @Tag("ci")
  @Test
  void unknownMessage_isUnavailable_afterAWhile() {
    long start = System.nanoTime();
    MessageId nobody = new MessageId(4_711_000);
    assertUnavailable(results.awaiting(nobody, Integer.class), nobody);
    assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofSeconds(9));
  }

  private static void assertUnavailable(CompletableFuture<Integer> wait, MessageId id) {
    assertThatExceptionOfType(ExecutionException.class)
        .isThrownBy(() -> wait.get(40, TimeUnit.SECONDS))
        .withCauseInstanceOf(ResultUnavailableException.class)
        .withMessageContaining("message " + id + " is not in the queue");
  }

  @Test
  void withoutResults_theMessageIsUnavailable_onceItIsAcked() throws Exception {
    try (TestWorker worker = Orders.handledBy(database, (order, context) -> {})) {
      assertThatExceptionOfType(ResultUnavailableException.class)
          .isThrownBy(() -> enqueueAndAwait(1))
          .withMessageContaining("withResults()");
    }
  }

  @Test
  void result_ofAnotherType_saysSo() throws Exception {
    try (TestWorker worker = worker((order, context) -> 42)) {
      assertThatExceptionOfType(PayloadException.class)
          .isThrownBy(() -> results.enqueueAndAwait(producer, order(1), Order.class, Orders.SOON));
    }
  }

  /** A worker whose handlers wait for its handlers stands still. */
  @Test
  void handler_mayNotWait() throws Exception {
    CountDownLatch tried = new CountDownLatch(1);
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Orders.enqueue(database, 1);
    try (TestWorker worker =
        worker(
            (order, context) -> {
              try {
                enqueueAndAwait(2);
              } catch (IllegalStateException e) {
                thrown.set(e);
              }
              tried.countDown();
              return 1;
            })) {
      assertThat(tried.await(20, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(thrown.get()).hasMessageContaining("a handler must not wait for another message");
  }

  @Test
  void close_endsWhatWaits() {
    CompletableFuture<Integer> wait = results.awaiting(new MessageId(1), Integer.class);
    results.close();
    assertThatThrownBy(() -> wait.get(20, TimeUnit.SECONDS))
        .satisfiesAnyOf(
            e -> assertThat(e).isInstanceOf(CancellationException.class),
            e -> assertThat(e).hasCauseInstanceOf(CancellationException.class));
    assertThatThrownBy(() -> results.awaiting(new MessageId(1), Integer.class))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThatThrownBy(() -> enqueueAndAwait(1)).hasMessageContaining("closed");
    assertThat(database.count("SELECT COUNT(*) FROM queue_message")).isZero();
  }

  /**
   * Its sleep is ended and its connection cut: another one follows, and the workers learn of it.
   */
  @Test
  void listener_thatLosesItsConnection_registersAgain() throws Exception {
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      enqueueAndAwait(1);
      long before = database.count(LISTENER);
      CompletableFuture<Integer> wait = results.awaiting(new MessageId(9_999_999), Integer.class);
      database.execute("KILL " + before);
      Await.until(
          "it listens on another connection",
          Orders.SOON,
          () -> database.count(LISTENER),
          now -> now != before);
      assertThat(enqueueAndAwait(21)).isEqualTo(42);
      wait.cancel(false);
    }
  }

  /** What a privilege that is missing would be, for a minute, a connection that is lost is not. */
  @Test
  void ring_afterOneOverALostConnection_endsTheSleep() throws Exception {
    CompletableFuture<Integer> wait = results.awaiting(new MessageId(1), Integer.class);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_result_listener", 1);
    try (Connection sleeping = database.connect();
        Connection notifying = database.connect()) {
      long id = connectionId(sleeping);
      database.execute(
          "INSERT INTO queue_result_listener SELECT 'sleeper', %d, server_identity, lease_until FROM queue_result_listener"
              .formatted(id));
      WorkerNotifier notifier = WorkerNotifier.over(pool);
      Connection lost = database.connect();
      lost.close();
      notifier.notifyResultWaiters(Set.of("sleeper"), lost);
      CompletableFuture<Boolean> notified = sleep(sleeping, id);
      Await.that(
          "the ring ends the sleep",
          Orders.SOON,
          () -> {
            notifier.notifyResultWaiters(Set.of("sleeper"), notifying);
            return notified.isDone();
          });
      assertThat(notified.get()).as("ended early").isTrue();
    }
    wait.cancel(false);
  }

  private static long connectionId(Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet row = statement.executeQuery("SELECT CONNECTION_ID()")) {
      row.next();
      return row.getLong(1);
    }
  }

  /** Longer than anybody here waits. */
  private static CompletableFuture<Boolean> sleep(Connection connection, long id) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            return ListenerSleep.sleep(connection, id, Orders.SOON.plusMinutes(1));
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  /** No look is sent while nobody waits, and the listener's connection goes back to the pool. */
  @Test
  void cancelledWait_isForgotten() throws Exception {
    CompletableFuture<Integer> wait = results.awaiting(new MessageId(1), Integer.class);
    Orders.awaitCount(database, "SELECT COUNT(*) FROM queue_result_listener", 1);
    wait.cancel(false);
    assertThat(wait).isCancelled();
    try (TestWorker worker = worker((order, context) -> 2 * order.number())) {
      assertThat(enqueueAndAwait(21)).isEqualTo(42);
    }
  }
}
