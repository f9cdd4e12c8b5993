package io.rowqueue.result;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.AbstractModule;
import com.google.inject.Module;
import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimLostException;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.HandlerResult;
import io.rowqueue.claim.LockId;
import io.rowqueue.database.Transactions;
import io.rowqueue.database.Transition;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.HandlerSettings;
import io.rowqueue.handle.ResultHandler;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.Topic;
import io.rowqueue.order.Orders;
import io.rowqueue.seal.Keysets;
import io.rowqueue.seal.Sealed;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.tests.Handlers.Order;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.wrap.WrapperBinder;
import io.rowqueue.wrap.Wrapping;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What handlers give back, from their return to the end of its time. */
@QueueTest
class ResultIT {

  private static final String RESULTS =
      "SELECT CONCAT(message_id, ' ', topic, ' ', COALESCE(CONVERT(content USING utf8mb4)"
          + " COLLATE utf8mb4_bin, 'null'))"
          + " FROM queue_result ORDER BY message_id";

  private static final Duration HOUR = Duration.ofHours(1);

  private static final HandlerSettings KEPT = HandlerSettings.defaults().withResults(HOUR);

  /** What is sold, and what it costs. */
  record Price(int number, int cents) {}

  private final QueueDatabase database;

  ResultIT(QueueDatabase database) {
    this.database = database;
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
    try (TestWorker worker = TestWorker.start(database, handlers)) {
      Orders.awaitNoneLeft(database);
    }
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
  void nothing_isAResultToo() {
    MessageId id = Orders.enqueue(database, 1);
    handleAll(pricing((order, context) -> null, KEPT));
    assertThat(database.strings(RESULTS)).containsExactly(id + " order null");
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
        .contains("24 bytes", "keeps 10 at most", "withResults(keepFor, mostBytes)");
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
      database.execute("UPDATE queue_message SET claims = claims + 1 WHERE id = " + lost.id());
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
    return claim.withResult(new HandlerResult(null, content, HOUR, null));
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
      Results readable = results.reading(io.rowqueue.message.PayloadCodec.json(), seal);
      assertThat(readable.await(id, Price.class, Orders.SOON)).isEqualTo(new Price(7, 700));
      Assertions.assertThatExceptionOfType(io.rowqueue.message.UnreadableException.class)
          .isThrownBy(() -> results.await(id, Price.class, Orders.SOON));
    }
  }

  @Test
  void prune_takesWhatIsOver_andNothingElse() {
    database.execute(
        "INSERT INTO queue_result (message_id, topic, settled_at, expires_at) SELECT id, 't',"
            + " UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL id MINUTE FROM (SELECT -1 AS id UNION"
            + " SELECT -2 UNION SELECT 1) AS ids",
        "INSERT INTO queue_waiter VALUES ('here', 1, 's', UTC_TIMESTAMP(6) - INTERVAL 59 MINUTE),"
            + " ('gone', 1, 's', UTC_TIMESTAMP(6) - INTERVAL 61 MINUTE)");
    try (TestWorker worker = TestWorker.create(database, config -> config)) {
      ResultPruning pruning = worker.get(ResultPruning.class);
      assertThat(pruning.prune(1)).isOne();
      assertThat(pruning.prune(10)).isOne();
      assertThat(pruning.prune(10)).isZero();
    }
    assertThat(database.strings("SELECT message_id FROM queue_result")).containsExactly("1");
    assertThat(database.strings("SELECT waiter FROM queue_waiter")).containsExactly("here");
  }
}
