package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.ClaimSettings;
import io.rowqueue.DatabaseUnavailableException;
import io.rowqueue.MessageId;
import io.rowqueue.MessageProducer;
import io.rowqueue.NewMessage;
import io.rowqueue.Topic;
import io.rowqueue.counter.CounterException;
import io.rowqueue.counter.ShardedCounter;
import io.rowqueue.internal.claim.Claim;
import io.rowqueue.internal.claim.ClaimRequest;
import io.rowqueue.internal.claim.ClaimStrategy;
import io.rowqueue.internal.claim.LockId;
import io.rowqueue.internal.database.Transactions;
import io.rowqueue.internal.database.TransientFailures;
import io.rowqueue.internal.limit.RateBuckets;
import io.rowqueue.internal.limit.TopicSlots;
import io.rowqueue.internal.settle.Settler;
import io.rowqueue.operate.AttemptError;
import io.rowqueue.operate.DeadLetterReason;
import io.rowqueue.operate.DeadLetters;
import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.proof.cluster.OnCluster.WorkerFleet;
import io.rowqueue.testkit.Await;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.worker.ClaimConfig;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: nothing is handed out twice or lost where every node takes writes, and a lock holds on its
 * own node only. Method: a claimer, a settler or a whole worker on each node, all on one table.
 */
abstract class SeveralWriters extends OnCluster {

  private static final Logger LOG = LoggerFactory.getLogger(SeveralWriters.class);

  private static final Topic TOPIC = new Topic(Step.TOPIC);
  private static final Duration LONG = Duration.ofMinutes(20);
  private static final int MESSAGES = Integer.getInteger("rowqueue.test.messages", 10_000);
  private static final int ROUNDS = 60;
  private static final int TAKES = 200;

  @TempDir private Path folder;

  SeveralWriters(Kind kind) {
    super(kind);
  }

  @ParameterizedTest
  @EnumSource(ClaimSettings.Kind.class)
  void claimersOnAllNodes_shareAThousand_noneTwiceNoneMissing(ClaimSettings.Kind kind)
      throws Exception {
    List<MessageId> enqueued = enqueue(kind == ClaimSettings.Kind.LAST_INSERT_ID ? 100 : 1_000);
    List<Callable<List<MessageId>>> claimers = new ArrayList<>();
    for (int node = 1; node <= Cluster.NODES; node++) {
      TestWorker on = parts(node, kind);
      LockId lockId = LockId.create("node", node);
      claimers.add(() -> claimAll(on, lockId));
    }
    List<MessageId> all = concurrently(claimers).stream().flatMap(List::stream).toList();
    assertThat(all).doesNotHaveDuplicates().containsExactlyInAnyOrderElementsOf(enqueued);
    assertThat(database().strings("SELECT DISTINCT claim_number FROM queue_message"))
        .containsExactly("1");
  }

  private List<MessageId> claimAll(TestWorker on, LockId lockId) {
    List<MessageId> claimed = new ArrayList<>();
    while (on.get(Transactions.class)
        .read(dsl -> dsl.fetch("SELECT 1 FROM queue_message WHERE state = 0 LIMIT 1"))
        .isNotEmpty()) {
      try {
        on.get(ClaimStrategy.class)
            .claim(new ClaimRequest(TOPIC, lockId, 25, 1))
            .forEach(claim -> claimed.add(claim.id()));
      } catch (DatabaseUnavailableException e) {
        // Every repetition met a conflict; a worker's claimer goes on with its next turn, too.
        LOG.info("a claim was given up: {}", e.getMessage());
      }
    }
    return claimed;
  }

  /** Each pair of settlements that contend for one claim, each on a node of its own. */
  @Test
  void settlementsOnTwoNodes_ofOneClaim_exactlyOneHappens() throws Exception {
    TestWorker one = parts(1, ClaimSettings.Kind.SKIP_LOCKED);
    TestWorker two = parts(2, ClaimSettings.Kind.SKIP_LOCKED);
    AttemptError error = AttemptError.of(new IllegalStateException("contended"));
    List<Ending> endings =
        List.of(
            (settler, claim) -> settler.ackAll(List.of(claim)) == 1,
            (settler, claim) -> settler.retry(claim, error, Duration.ofHours(1)),
            (settler, claim) -> settler.release(claim, Duration.ofHours(1)),
            (settler, claim) ->
                settler.deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, error));
    for (int round = 0; round < ROUNDS; round++) {
      Ending first = endings.get(round % endings.size());
      Ending second = endings.get(round / endings.size() % endings.size());
      Claim claim = claimOne(one);
      awaitClaimOn(two, claim);
      List<Boolean> happened =
          concurrently(
              List.of(
                  () -> first.happens(one.get(Settler.class), claim),
                  () -> second.happens(two.get(Settler.class), claim)));
      assertThat(happened).as("round " + round).containsExactlyInAnyOrder(true, false);
      assertThat(
              database().count("SELECT COUNT(*) FROM queue_message")
                  + database().count("SELECT COUNT(*) FROM queue_dead_letter"))
          .as("places of the message in round " + round)
          .isLessThanOrEqualTo(1);
      database().execute("DELETE FROM queue_message", "DELETE FROM queue_dead_letter");
      database().execute("DELETE FROM queue_attempt");
    }
  }

  private Claim claimOne(TestWorker on) {
    enqueue(1);
    return Await.until(
            "a claim",
            LONG,
            () ->
                on.get(ClaimStrategy.class)
                    .claim(new ClaimRequest(TOPIC, LockId.create("node", 1), 1, 1)),
            claims -> claims.size() == 1)
        .get(0);
  }

  /** Reads on another node lag. */
  private static void awaitClaimOn(TestWorker on, Claim claim) {
    Await.until(
        "the claim on the other node",
        LONG,
        () ->
            on.get(Transactions.class)
                .read(
                    dsl ->
                        dsl.fetch(
                            "SELECT 1 FROM queue_message WHERE id = ? AND claim_number = ?",
                            claim.id().value(),
                            claim.number())),
        rows -> rows.isNotEmpty());
  }

  @Test
  void redrivesOnTwoNodes_ofTheSameDeadLetters_bringEachBackOnce() throws Exception {
    TestWorker one = parts(1, ClaimSettings.Kind.SKIP_LOCKED);
    TestWorker two = parts(2, ClaimSettings.Kind.SKIP_LOCKED);
    for (int round = 0; round < ROUNDS / 3; round++) {
      Claim claim = claimOne(one);
      AttemptError error = AttemptError.of(new IllegalStateException("for good"));
      one.get(Settler.class).deadLetter(claim, DeadLetterReason.PERMANENT_FAILURE, error);
      Await.until(
          "the dead letter on the other node",
          LONG,
          () -> two.get(DeadLetters.class).find(claim.id()).isPresent(),
          found -> found);
      List<Boolean> happened =
          concurrently(
              List.of(
                  () -> one.get(DeadLetters.class).redrive(claim.id()),
                  () -> two.get(DeadLetters.class).redrive(claim.id())));
      assertThat(happened).as("round " + round).containsExactlyInAnyOrder(true, false);
      assertThat(database().count("SELECT COUNT(*) FROM queue_message")).isEqualTo(1);
      assertThat(database().count("SELECT COUNT(*) FROM queue_dead_letter")).isZero();
      database().execute("DELETE FROM queue_message");
    }
  }

  /**
   * Each take would fit, and both together do not; locks of the one node say nothing to the other.
   */
  @Test
  void takesOnTwoNodes_ofMoreThanThereIs_leaveNothingBelowZero() throws Exception {
    ShardedCounter counter = ShardedCounter.create();
    try (Connection one = connect(1);
        Connection two = connect(2)) {
      int taken = 0;
      for (int round = 0; round < TAKES; round++) {
        String name = "stock/" + round;
        commit(one, () -> counter.make(one, name, ShardedCounter.SLOTS));
        commit(one, () -> add(counter, one, name));
        Await.until(
            "the counter on the other node",
            LONG,
            () -> sum(counter, two, name),
            there -> there == 10);
        taken +=
            Collections.frequency(
                concurrently(
                    List.of(
                        () -> commit(one, () -> counter.take(one, name, 8)),
                        () -> commit(two, () -> counter.take(two, name, 8)))),
                true);
      }
      assertThat(database().count("SELECT COUNT(*) FROM queue_counter WHERE amount < 0")).isZero();
      assertThat(
              database()
                  .count(
                      "SELECT COUNT(*) FROM (SELECT name FROM queue_counter GROUP BY name"
                          + " HAVING SUM(amount) <> 2) AS other"))
          .as("counters of which not 8 were taken")
          .isZero();
      assertThat(taken).isEqualTo(TAKES);
    }
  }

  /** The locks of the one say nothing to the other; only the row that both write does. */
  @Test
  void takersOnTwoNodes_ofOneSlot_neverBothHaveIt() throws Exception {
    TopicSlots one = parts(1, ClaimSettings.Kind.SKIP_LOCKED).get(TopicSlots.class);
    TopicSlots two = parts(2, ClaimSettings.Kind.SKIP_LOCKED).get(TopicSlots.class);
    LockId first = LockId.create("one", 1);
    LockId second = LockId.create("two", 2);
    List<Integer> only = List.of(0);
    one.make(TOPIC, only);
    for (int round = 0; round < TAKES; round++) {
      Await.until("the slot is free on one", LONG, () -> one.read(TOPIC).free(1), only::equals);
      Await.until("the slot is free on two", LONG, () -> two.read(TOPIC).free(1), only::equals);
      List<Set<Integer>> taken =
          concurrently(
              List.of(() -> one.take(TOPIC, first, only), () -> two.take(TOPIC, second, only)));
      assertThat(taken).as("round " + round).containsExactlyInAnyOrder(Set.of(0), Set.of());
      assertThat(one.release(TOPIC, first, taken.get(0))).isEqualTo(taken.get(0).size());
      assertThat(two.release(TOPIC, second, taken.get(1))).isEqualTo(taken.get(1).size());
    }
  }

  /**
   * Filled a few seconds from now, so that it does not fill meanwhile; a later time would count as
   * a clock set back.
   */
  @Test
  void drawsOnTwoNodes_ofMoreThanThereIs_shareWhatThereIs() throws Exception {
    RateBuckets one = parts(1, ClaimSettings.Kind.SKIP_LOCKED).get(RateBuckets.class);
    TestWorker other = parts(2, ClaimSettings.Kind.SKIP_LOCKED);
    RateBuckets two = other.get(RateBuckets.class);
    for (int round = 0; round < TAKES; round++) {
      Topic topic = new Topic("bucket-" + round);
      database()
          .execute(
              "INSERT INTO queue_rate VALUES ('%s', 10, UTC_TIMESTAMP(6) + INTERVAL 8 SECOND)"
                  .formatted(topic));
      Await.until(
          "the bucket on the other node",
          LONG,
          () ->
              other
                  .get(Transactions.class)
                  .read(dsl -> dsl.fetch("SELECT 1 FROM queue_rate WHERE topic = ?", topic.name())),
          rows -> rows.isNotEmpty());
      List<Integer> drawn =
          concurrently(
              List.of(
                  () -> one.draw(topic, 8, 100).messages(),
                  () -> two.draw(topic, 8, 100).messages()));
      assertThat(drawn).as("round " + round).containsExactlyInAnyOrder(8, 2);
    }
  }

  private static boolean add(ShardedCounter counter, Connection transaction, String name) {
    counter.add(transaction, name, 10);
    return true;
  }

  private static long sum(ShardedCounter counter, Connection transaction, String name) {
    try {
      return counter.sum(transaction, name);
    } catch (CounterException e) {
      return 0; // it has not arrived yet
    } finally {
      rollback(transaction);
    }
  }

  /** Runs {@code work} again until its COMMIT succeeds, as whoever takes must. */
  private static boolean commit(Connection connection, Callable<Boolean> work) throws Exception {
    while (true) {
      try {
        boolean result = work.call();
        connection.commit();
        return result;
      } catch (SQLException | CounterException e) {
        rollback(connection);
        if (!TransientFailures.isTransient(e)) {
          throw e;
        }
      }
    }
  }

  private static void rollback(Connection connection) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      throw new IllegalStateException("a node is gone", e);
    }
  }

  private Connection connect(int node) throws SQLException {
    Connection connection = DriverManager.getConnection(urlOf(node));
    connection.setAutoCommit(false);
    connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
    return connection;
  }

  @Test
  void aWorkerOnEachNode_handlesTenThousand_eachEffectExactlyOnce() throws Exception {
    new Ledgers(database()).open();
    database().execute(SteadyProducer.TABLE);
    long began = System.nanoTime();
    try (WorkerFleet workers = new WorkerFleet(folder)) {
      try (SteadyProducer till = producer(1);
          SteadyProducer web = producer(2)) {
        for (int node = 1; node <= Cluster.NODES; node++) {
          workers.start(urlOf(node));
        }
        await("enqueued", MESSAGES);
      }
      await("effect", database().count("SELECT COUNT(*) FROM enqueued"));
      Await.until(
          "an empty queue",
          LONG,
          () -> database().count("SELECT COUNT(*) FROM queue_message"),
          left -> left == 0);
      long seconds = Duration.ofNanos(System.nanoTime() - began).toSeconds();
      workers.allRun();
      Ledgers books = new Ledgers(database());
      books.balance();
      books.allAre("acked");
      LOG.info(
          "{} messages in {} s by {}; second claims {}; transactions repeated {}",
          database().count("SELECT COUNT(*) FROM effect"),
          seconds,
          database().strings("SELECT COUNT(*) FROM effect GROUP BY pid"),
          database().count("SELECT COUNT(*) FROM effect WHERE claim > 1"),
          workers.repetitions());
      assertThat(database().strings("SELECT DISTINCT pid FROM effect"))
          .as("workers that handled something")
          .hasSize(Cluster.NODES);
    }
  }

  private SteadyProducer producer(int node) {
    return SteadyProducer.start(urlOf(node), "till-" + node);
  }

  private void await(String table, long rows) {
    Await.until(
        rows + " rows in " + table,
        LONG,
        () -> database().count("SELECT COUNT(*) FROM " + table),
        now -> now >= rows);
  }

  private TestWorker parts(int node, ClaimSettings.Kind kind) {
    return closing(
        TestWorker.createAt(
            urlOf(node),
            config ->
                config.withClaims(
                    ClaimConfig.defaults()
                        .withSettings(ClaimSettings.defaults().withStrategy(kind))),
            new StepModule()));
  }

  private List<MessageId> enqueue(int count) {
    return MessageProducer.create()
        .enqueueAll(
            database().dataSource(),
            Collections.nCopies(count, NewMessage.of(Step.TOPIC, new Step(Step.What.SUCCEED))));
  }

  private static <T> List<T> concurrently(List<Callable<T>> all) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(all.size());
    try {
      List<T> results = new ArrayList<>();
      for (Future<T> future : threads.invokeAll(all, LONG.toSeconds(), TimeUnit.SECONDS)) {
        results.add(future.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  private interface Ending {

    boolean happens(Settler settler, Claim claim);
  }
}
