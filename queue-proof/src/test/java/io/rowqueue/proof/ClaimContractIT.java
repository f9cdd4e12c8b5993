package io.rowqueue.proof;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowqueue.claim.Claim;
import io.rowqueue.claim.ClaimRequest;
import io.rowqueue.claim.ClaimSettings;
import io.rowqueue.claim.ClaimStore;
import io.rowqueue.claim.ClaimStrategy;
import io.rowqueue.claim.ClaimStrategy.Kind;
import io.rowqueue.claim.LockId;
import io.rowqueue.enqueue.MessageProducer;
import io.rowqueue.message.MessageId;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.Handlers.Order;
import io.rowqueue.settle.Settler;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.worker.ClaimConfig;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What every claim strategy promises, on whichever server. */
@QueueTest
@ParameterizedClass(name = "{0}")
@EnumSource(Kind.class)
class ClaimContractIT {

  private static final Topic ORDER = new Topic("order");

  @Parameter private Kind kind = Kind.SKIP_LOCKED;

  private final LockId me = LockId.create("me", 1);
  private final LockId other = LockId.create("other", 2);
  private final MessageProducer producer = MessageProducer.create();
  private TestWorker parts;
  private ClaimStrategy strategy;

  @BeforeEach
  void oneStrategy(QueueDatabase database) {
    parts = parts(database);
    strategy = parts.get(ClaimStrategy.class);
  }

  @AfterEach
  void closeConnections() {
    parts.close();
  }

  private TestWorker parts(QueueDatabase database) {
    return TestWorker.create(
        database,
        config ->
            config.withClaims(
                ClaimConfig.defaults().withSettings(ClaimSettings.defaults().withStrategy(kind))),
        Handlers.bind("order", (order, context) -> {}));
  }

  private List<MessageId> enqueue(QueueDatabase database, int count) {
    return producer.enqueueAll(
        database.dataSource(),
        IntStream.range(0, count).mapToObj(i -> NewMessage.of("order", new Order(i))).toList());
  }

  private List<Claim> claim(int limit) {
    return claim(limit, 1);
  }

  private List<Claim> claim(int limit, int suspects) {
    return strategy.claim(new ClaimRequest(ORDER, me, limit, suspects));
  }

  private static List<MessageId> ids(List<Claim> claims) {
    return claims.stream().map(Claim::id).toList();
  }

  private ClaimStore store() {
    return parts.get(ClaimStore.class);
  }

  @Test
  void twiceWithoutSettling_nothingComesBackTwice(QueueDatabase database) {
    List<MessageId> enqueued = enqueue(database, 7);
    List<MessageId> claimed = new ArrayList<>(ids(claim(3)));
    assertThat(claimed).hasSize(3);
    claimed.addAll(ids(claim(3)));
    assertThat(claimed).hasSize(6);
    claimed.addAll(ids(claim(3)));
    assertThat(claimed).containsExactlyInAnyOrderElementsOf(enqueued);
    assertThat(claim(3)).isEmpty();
  }

  @Test
  void claimed_rowSaysWhoAndUnderWhichNumber(QueueDatabase database) {
    enqueue(database, 2);
    database.execute("UPDATE queue_message SET claims = 4, started = 1, attempts = 2");
    List<Claim> claims = claim(2);

    assertThat(claims).hasSize(2).allMatch(claim -> claim.number() == 5 && claim.attempts() == 2);
    assertThat(
            database.strings(
                "SELECT DISTINCT CONCAT_WS(' ', state, lock_id, claims, started, attempts, lost)"
                    + " FROM queue_message"))
        .containsExactly("1 " + me + " 5 0 2 0");
  }

  @Test
  void bodies_areTheMessagesOwn(QueueDatabase database) {
    enqueue(database, 3);
    assertThat(claim(3))
        .hasSize(3)
        .allSatisfy(
            claim ->
                assertThat(
                        new String(claim.body().payload(), java.nio.charset.StandardCharsets.UTF_8))
                    .isEqualTo(
                        database
                            .strings("SELECT payload FROM queue_message WHERE id = " + claim.id())
                            .get(0)));
  }

  @Test
  void order_isPriorityThenId(QueueDatabase database) {
    List<MessageId> ids = enqueue(database, 6);
    database.execute(
        "UPDATE queue_message SET priority = 5 WHERE id <= " + ids.get(1),
        "UPDATE queue_message SET priority = -3 WHERE id = " + ids.get(5));
    assertThat(ids(claim(10)))
        .containsExactly(ids.get(5), ids.get(2), ids.get(3), ids.get(4), ids.get(0), ids.get(1));
  }

  /** At once without a cursor; with one, a priority that it does not know waits for its reset. */
  @Test
  void moreUrgent_enqueuedLater_overtakes(QueueDatabase database) {
    int others = 3_000;
    enqueue(database, others);
    assertThat(claim(2)).hasSize(2);
    database.execute(
        "INSERT INTO queue_message (topic, payload, priority) VALUES ('order', '{\"number\":9}',"
            + " -1)");
    MessageId urgent = new MessageId(database.count("SELECT MAX(id) FROM queue_message"));
    int before = 0;
    while (!ids(claim(1)).contains(urgent)) {
      before++;
      assertThat(before).as("claims of less urgent ones").isLessThan(others - 2);
    }
  }

  @Test
  void limit_isRespected(QueueDatabase database) {
    enqueue(database, 250);
    assertThat(claim(1)).hasSize(1);
    assertThat(claim(99)).hasSize(99);
    assertThat(database.count("SELECT COUNT(*) FROM queue_message WHERE state = 1")).isEqualTo(100);
  }

  @Test
  void suspectsAtTheHead_oneAtATimeAndWhatLiesBehindPasses(QueueDatabase database) {
    List<MessageId> ids = enqueue(database, 8);
    database.execute("UPDATE queue_message SET lost = 1 WHERE id <= " + ids.get(2));

    // The optimistic strategy picks at random unless it asks for all.
    boolean loose = kind == Kind.OPTIMISTIC;
    List<Claim> claims = claim(loose ? 8 : 4);
    assertThat(claims.stream().filter(Claim::suspect)).hasSize(1);
    assertThat(claims).hasSize(loose ? 6 : 4);
    assertThat(claim(4, 0)).hasSize(loose ? 0 : 2).noneMatch(Claim::suspect);
    assertThat(
            database.strings(
                "SELECT CONCAT_WS(' ', state, lock_id, claims, lost) FROM queue_message WHERE state"
                    + " = 0"))
        .containsExactly("0  0 1", "0  0 1");
    assertThat(claim(4)).hasSize(1).allMatch(Claim::suspect);
  }

  @Test
  void dueLater_isToldAndGoesBackAsScheduled(QueueDatabase database) {
    enqueue(database, 1);
    database.execute(
        "INSERT INTO queue_message (topic, payload, due_at)"
            + " VALUES ('order', '{}', UTC_TIMESTAMP(6) + INTERVAL 1 HOUR)");
    List<Claim> early = claim(5).stream().filter(Claim::dueLater).toList();
    assertThat(early).hasSize(1);
    assertThat(store().handBack(early)).isEqualTo(1);
    assertThat(database.strings("SELECT state FROM queue_message ORDER BY id"))
        .containsExactly("1", "2");
  }

  @Test
  void fence_afterReleaseAndNewClaim_refusesTheEarlierOne(QueueDatabase database) {
    enqueue(database, 1);
    Claim first = claim(1).get(0);
    Settler settler = parts.get(Settler.class);
    assertThat(settler.release(first, Duration.ZERO)).isTrue();
    Claim second = claim(1).get(0);

    assertThat(second.number()).isEqualTo(first.number() + 1);
    assertThat(settler.ackAll(List.of(first))).isZero();
    assertThat(settler.ackAll(List.of(second))).isOne();
  }

  @Test
  void largePayload_isClaimedAndNotLoaded(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 32769))",
        "INSERT INTO queue_message (topic, payload) VALUES ('order', REPEAT('x', 32768))");
    List<Claim> claims = claim(2);
    assertThat(claims).extracting(claim -> claim.body().loaded()).containsExactly(false, true);
    assertThat(claims.get(0).body().waitingBytes()).isZero();
    assertThat(claims.get(0).body().payloadBytes()).isEqualTo(32769);
    assertThat(store().load(claims.get(0)).body().payload()).hasSize(32769);
  }

  @Test
  void emptyQueue_givesNothingAndLeavesNothing(QueueDatabase database) {
    assertThat(claim(10)).isEmpty();
    enqueue(database, 1);
    assertThat(claim(10)).hasSize(1);
    assertThat(claim(10)).isEmpty();
  }

  @Test
  void otherTopics_stayUntouched(QueueDatabase database) {
    database.execute(
        "INSERT INTO queue_message (topic, payload) VALUES ('orders', '{}'), ('nobody', '{}')");
    enqueue(database, 1);
    assertThat(claim(10)).hasSize(1);
    assertThat(database.strings("SELECT CONCAT_WS(' ', topic, state, claims) FROM queue_message"))
        .contains("orders 0 0", "nobody 0 0");
  }

  @Test
  void scheduledAndClaimedByOthers_areNotTaken(QueueDatabase database) {
    enqueue(database, 3);
    assertThat(strategy.claim(new ClaimRequest(ORDER, other, 1, 1))).hasSize(1);
    database.execute("UPDATE queue_message SET state = 2 WHERE state = 0 ORDER BY id LIMIT 1");
    assertThat(claim(10)).hasSize(1);
    assertThat(database.strings("SELECT state FROM queue_message ORDER BY state"))
        .containsExactly("1", "1", "2");
  }

  @Test
  void releasedOrPromoted_belowWhatWasClaimed_isFoundWithinSeconds(QueueDatabase database) {
    enqueue(database, 40);
    Claim low = claim(30).get(0);
    assertThat(parts.get(Settler.class).release(low, Duration.ZERO)).isTrue();
    // Fresh work keeps coming and keeps every claim full, so that only time brings a reset.
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
    Set<MessageId> seen = new HashSet<>();
    while (!seen.contains(low.id()) && System.nanoTime() < deadline) {
      enqueue(database, 5);
      seen.addAll(ids(claim(2)));
    }
    assertThat(seen).contains(low.id());
  }

  @Test
  void rolledBackEnqueue_isNeverClaimed(QueueDatabase database) throws Exception {
    try (Connection open = database.connect()) {
      open.setAutoCommit(false);
      producer.enqueue(open, NewMessage.of("order", new Order(1)));
      Callable<List<Claim>> rollBack =
          () -> {
            open.rollback();
            return List.of();
          };
      List<List<Claim>> claims = concurrently(List.of(() -> claim(5), rollBack));
      assertThat(claims).containsExactly(List.of(), List.of());
    }
    assertThat(claim(5)).isEmpty();
  }

  @Test
  void twoClaimers_shareTwoThousand_noneTwiceNoneMissing(QueueDatabase database) throws Exception {
    List<MessageId> enqueued = enqueue(database, 2_000);
    try (TestWorker second = parts(database)) {
      List<List<MessageId>> both =
          concurrently(
              List.of(
                  () -> claimAll(database, strategy, me),
                  () -> claimAll(database, second.get(ClaimStrategy.class), other)));
      List<MessageId> all = new ArrayList<>(both.get(0));
      all.addAll(both.get(1));
      assertThat(all).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(enqueued);
    }
    assertThat(database.strings("SELECT DISTINCT claims FROM queue_message")).containsExactly("1");
  }

  private static List<MessageId> claimAll(
      QueueDatabase database, ClaimStrategy strategy, LockId lockId) {
    List<MessageId> claimed = new ArrayList<>();
    List<Claim> next;
    do {
      next = strategy.claim(new ClaimRequest(ORDER, lockId, 25, 1));
      claimed.addAll(ids(next));
    } while (!next.isEmpty()
        || database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0") > 0);
    return claimed;
  }

  @Test
  void producersBeside_neverDeadlock(QueueDatabase database) throws Exception {
    CountDownLatch produced = new CountDownLatch(2);
    Callable<Integer> produce =
        () -> {
          try {
            for (int i = 0; i < 60; i++) {
              enqueue(database, 10);
            }
            return 600;
          } finally {
            produced.countDown();
          }
        };
    Callable<Integer> claim =
        () -> {
          Set<MessageId> claimed = new HashSet<>();
          List<Claim> next;
          do {
            boolean last = produced.getCount() == 0;
            next = claim(10);
            parts.get(Settler.class).ackAll(next);
            claimed.addAll(ids(next));
            if (last && next.isEmpty()) {
              break;
            }
          } while (true);
          return claimed.size();
        };
    long before = deadlocks(database);
    assertThat(concurrently(List.of(claim, produce, produce))).containsExactly(1_200, 600, 600);
    assertThat(deadlocks(database) - before).as("deadlocks (1213)").isZero();
  }

  /** As if a worker stood still in the middle of its claim. */
  @Test
  void rowsThatOthersHold_arePassedBy(QueueDatabase database) throws Exception {
    assumeTrue(kind == Kind.SKIP_LOCKED, kind + " waits for them");
    List<MessageId> ids = enqueue(database, 460);
    database.execute("UPDATE queue_message SET priority = id % 2");
    try (Connection still = database.connect()) {
      still.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      still.setAutoCommit(false);
      still
          .createStatement()
          .executeUpdate(
              "UPDATE queue_message FORCE INDEX (PRIMARY) SET attempts = 7 WHERE id <= "
                  + ids.get(449));
      List<MessageId> free = new ArrayList<>();
      for (List<Claim> next = claim(1); !next.isEmpty(); next = claim(1)) {
        free.addAll(ids(next));
      }
      assertThat(free).containsExactlyInAnyOrderElementsOf(ids.subList(450, 460));
      still.commit();
    }
    assertThat(claim(460)).hasSize(450).allMatch(claim -> claim.attempts() == 7);
  }

  /** Rows that are drained and not purged yet lie between those that four claimers look for. */
  @Test
  void claimersAmongSuspects_neverDeadlock(QueueDatabase database) throws Exception {
    int messages = 1_200;
    enqueue(database, messages);
    database.execute("UPDATE queue_message SET priority = id % 3, lost = (id DIV 3) % 2");
    List<TestWorker> workers = Stream.generate(() -> parts(database)).limit(4).toList();
    long before = deadlocks(database);
    try {
      List<Callable<Integer>> drains = new ArrayList<>();
      for (TestWorker worker : workers) {
        LockId lockId = LockId.create("claimer", 10 + drains.size());
        drains.add(() -> drainAmongSuspects(database, worker, lockId));
      }
      assertThat(concurrently(drains).stream().mapToInt(Integer::intValue).sum())
          .isEqualTo(messages);
    } finally {
      workers.forEach(TestWorker::close);
    }
    assertThat(deadlocks(database) - before).as("deadlocks (1213)").isZero();
  }

  private static int drainAmongSuspects(QueueDatabase database, TestWorker worker, LockId lockId) {
    int drained = 0;
    int turn = 0;
    do {
      List<Claim> claims =
          worker.get(ClaimStrategy.class).claim(new ClaimRequest(ORDER, lockId, 20, turn++ % 2));
      drained += worker.get(Settler.class).ackAll(claims);
    } while (database.count("SELECT COUNT(*) FROM queue_message WHERE state = 0") > 0);
    return drained;
  }

  /** The server's own count, so that no repetition can hide one. */
  private static long deadlocks(QueueDatabase database) {
    return database.count(
        database.isMariaDb()
            ? "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME ="
                + " 'INNODB_DEADLOCKS'"
            : "SELECT COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'lock_deadlocks'");
  }

  private static <T> List<T> concurrently(List<Callable<T>> all) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(all.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(all, 60, TimeUnit.SECONDS)) {
        results.add(future.get());
      }
      return Collections.unmodifiableList(results);
    } finally {
      threads.shutdownNow();
    }
  }
}
