package io.rowqueue.proof.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.handler.HandlerDefaults;
import io.rowqueue.internal.database.JooqSettings;
import io.rowqueue.internal.database.ServerDialect;
import io.rowqueue.internal.reap.ServerIncarnation;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.EmbeddedMariaDb;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.QueueTest;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.HasItsOwnServer;
import io.rowqueue.tests.TestWorker;
import io.rowqueue.tests.process.Ledgers;
import io.rowqueue.tests.process.PluginJar;
import io.rowqueue.tests.process.Processes;
import io.rowqueue.tests.process.Step;
import io.rowqueue.tests.process.Step.StepModule;
import io.rowqueue.tests.process.Step.What;
import io.rowqueue.tests.process.Wire;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@QueueTest
@Tag("ci")
class LivenessIT {

  /** So long that in these tests no death is noticed by it. */
  private static final Duration LONG_LEASE = Duration.ofMinutes(2);

  /** Retries and pools give up after 5 s. */
  private static final Duration GONE =
      Duration.ofSeconds(System.getProperty("rowqueue.test.sample", "").equals("all") ? 60 : 12);

  private static final Duration SOON = Duration.ofSeconds(30);

  /** The row of a worker that is cut off in the middle of a renewal is locked for a minute. */
  private static final Duration UNTIL_THE_SERVER_GIVES_UP = Duration.ofSeconds(90);

  private static final String LOCK_CONNECTIONS =
      "SELECT IS_USED_LOCK(lock_id) FROM queue_worker WHERE is_alive = 1 ORDER BY lock_id";
  private static final String ALIVE =
      "SELECT lock_id FROM queue_worker WHERE is_alive = 1 ORDER BY lock_id";

  /** Workers whose next renewal is the next of the clock: who begins to listen renews at once. */
  private static final String LISTENING =
      "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1 AND listener_connection IS NOT NULL";

  @TempDir private static Path plugins;

  @BeforeEach
  void openBooks(QueueDatabase database) throws Exception {
    new Ledgers(database).open();
    PluginJar.pack(StepModule.class, plugins.resolve("steps.jar"));
  }

  private static TestWorker worker(QueueDatabase database) {
    return worker(database.url(), LONG_LEASE);
  }

  private static TestWorker worker(String url, Duration lease) {
    return TestWorker.startAt(
        url, config -> config.withThreads(2).withLeaseDuration(lease), new StepModule());
  }

  private static Process process(QueueDatabase database, String lease) throws IOException {
    return Processes.worker(database.url(), plugins, "--lease-duration", lease)
        .redirectOutput(plugins.resolve("worker.log").toFile())
        .start();
  }

  private static void await(QueueDatabase database, String query, long expected) {
    Await.until(query, SOON, () -> database.count(query), count -> count == expected);
  }

  @Test
  void killed_longBeforeItsLeaseRunsOut_isNoticedAtOnce(QueueDatabase database) throws Exception {
    Process victim = process(database, "2m");
    try {
      Stage.enqueue(database, What.WAIT_ONCE);
      await(database, "SELECT COUNT(*) FROM queue_message WHERE state = 1", 1);
      try (TestWorker peer = worker(database)) {
        victim.destroyForcibly().waitFor();
        await(database, "SELECT COUNT(*) FROM effect WHERE claim = 2", 1);
      }
    } finally {
      victim.destroyForcibly();
    }
    new Ledgers(database).balance();
  }

  @Test
  void stopped_pastItsLeaseAndContinued_leavesNoTrace(QueueDatabase database) throws Exception {
    Process victim = process(database, "1s");
    try (Connection go = database.connect();
        Statement lock = go.createStatement()) {
      lock.execute("DO GET_LOCK(" + Step.GO + ", 0)");
      Stage.enqueue(database, What.WAIT_FOR_GO);
      awaitUncommittedEffect(database);
      stopBetweenRenewals(database, victim);
      try (TestWorker peer = worker(database)) {
        await(database, "SELECT COUNT(*) FROM effect", 1);
        lock.execute("DO RELEASE_LOCK(" + Step.GO + ")");
        signal(victim, "CONT");
        Await.until(
            "the zombie finds its claim lost",
            SOON,
            () -> Files.readString(plugins.resolve("worker.log")),
            log -> log.contains("was lost before its ack"));
      }
    } finally {
      victim.destroyForcibly();
    }
    assertThat(database.strings("SELECT claim FROM effect")).containsExactly("2");
    new Ledgers(database).balance();
  }

  /** A claim whose handling had not begun would be given up without a word. */
  private static void awaitUncommittedEffect(QueueDatabase database) throws SQLException {
    try (Connection connection = database.connect()) {
      connection.setTransactionIsolation(Connection.TRANSACTION_READ_UNCOMMITTED);
      try (Statement statement = connection.createStatement()) {
        Await.until(
            "the handler has written its effect",
            SOON,
            () -> statement.executeQuery("SELECT * FROM effect").next(),
            written -> written);
      }
    }
  }

  /** In the middle of a renewal its row would stay locked until the server ends the connection. */
  private static void stopBetweenRenewals(QueueDatabase database, Process process) {
    Await.until(
        "it is stopped, and its row is not locked",
        SOON,
        () -> {
          signal(process, "STOP");
          boolean unlocked = database.strings(ALIVE + " FOR UPDATE SKIP LOCKED").size() == 1;
          if (!unlocked) {
            signal(process, "CONT");
          }
          return unlocked;
        },
        unlocked -> unlocked);
  }

  private static void signal(Process process, String name) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  @Test
  void lockConnection_killedWhileTheWorkerLives_isTakenAgainAndNobodyDies(QueueDatabase database) {
    try (TestWorker one = worker(database);
        TestWorker two = worker(database)) {
      await(database, "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 2);
      List<String> lives = database.strings(ALIVE);
      for (int round = 0; round < 30; round++) {
        List<String> connections = awaitLocks(database, List.of("0"), 2);
        connections.forEach(connection -> database.execute("KILL " + connection));
        awaitLocks(database, connections, 2);
        assertThat(database.strings(ALIVE)).isEqualTo(lives);
      }
    }
  }

  /** What the peers see is a free lock, twice; what they must see first is that there is none. */
  @Test
  void lockConnection_killedWhileNoNewOneComes_nobodyDies(QueueDatabase database) throws Exception {
    try (Wire wire = Wire.to(database.url());
        TestWorker cutOff = worker(wire.through(database.url()), LONG_LEASE)) {
      // It has a connection for its handlers then, and handles what it claims later.
      Stage.enqueue(database, What.SUCCEED);
      await(database, "SELECT COUNT(*) FROM effect", 1);
      try (TestWorker peer = worker(database)) {
        await(database, "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 2);
        List<String> lives = database.strings(ALIVE);
        List<String> locks = awaitLocks(database, List.of("0"), 2);
        wire.shut();
        locks.forEach(connection -> database.execute("KILL " + connection));
        await(
            database,
            "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1 AND server_identity IS NULL",
            1);
        Stage.enqueue(database, What.SUCCEED);
        await(database, "SELECT COUNT(*) FROM effect", 2);
        wire.open();
        awaitLocks(database, locks, 2);
        assertThat(database.strings(ALIVE)).isEqualTo(lives);
      }
    }
  }

  /** As while a server is shut down: who lost its lock could not have taken it again. */
  @Test
  void lock_freeWhileTheServerLetsNobodyIn_tellsOfNoDeath(QueueDatabase database) throws Exception {
    try (Wire first = Wire.to(database.url());
        Wire second = Wire.to(database.url());
        TestWorker cutOff = worker(first.through(database.url()), LONG_LEASE)) {
      List<String> locks = awaitLocks(database, List.of("0"), 1);
      try (TestWorker judge = worker(second.through(database.url()), LONG_LEASE)) {
        awaitLocks(database, List.of("0"), 2);
        first.freeze();
        second.shut();
        database.execute("KILL " + locks.get(0));
        Await.that("the judge tries the door", SOON, second::isKnockedAt);
        assertThat(database.strings(ALIVE)).hasSize(2);
        second.open();
        await(database, "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 1);
        first.thaw();
      }
    }
  }

  /** The first that comes back finds the other's lease run out, and cannot know why. */
  @Test
  void server_outOfReachForLongerThanTheLease_whoComesBackFirstWaitsALeaseForTheOthers(
      QueueDatabase database) throws Exception {
    Duration lease = Duration.ofSeconds(3);
    try (Wire first = Wire.to(database.url());
        Wire second = Wire.to(database.url());
        TestWorker early = worker(first.through(database.url()), lease);
        TestWorker late = worker(second.through(database.url()), lease)) {
      await(database, LISTENING, 2);
      List<String> lives = database.strings(ALIVE);
      first.freeze();
      second.freeze();
      await(database, "SELECT COUNT(*) FROM queue_worker WHERE lease_until < UTC_TIMESTAMP(6)", 2);
      long back = System.nanoTime();
      first.thaw();
      List<String> left =
          Await.until(
              "the other is declared dead",
              UNTIL_THE_SERVER_GIVES_UP,
              () -> database.strings(ALIVE),
              now -> now.size() == 1);
      assertThat(Duration.ofNanos(System.nanoTime() - back)).isGreaterThan(lease);
      assertThat(lives).as("the first lives on").containsAll(left);
      second.thaw();
      await(database, "SELECT COUNT(*) FROM queue_worker WHERE lease_until > UTC_TIMESTAMP(6)", 2);
    }
  }

  /** The connections that hold the workers' locks, once none of {@code gone} does. */
  private static List<String> awaitLocks(QueueDatabase database, List<String> gone, int workers) {
    return Await.until(
        "the locks are taken on new connections",
        SOON,
        () -> database.strings(LOCK_CONNECTIONS),
        now ->
            now.size() == workers
                && !now.contains("null")
                && now.stream().noneMatch(gone::contains));
  }

  @Test
  @HasItsOwnServer
  void server_restarted_twentyWorkersComeBackAtOnceAndNobodyIsDeclaredDead() throws Exception {
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start("--max-connections=500");
        QueueDatabase database = QueueDatabase.create(TestServer.of(server))) {
      new Ledgers(database).open();
      List<TestWorker> workers = new ArrayList<>();
      try {
        for (int i = 0; i < 20; i++) {
          workers.add(worker(database));
        }
        await(database, "SELECT COUNT(*) FROM queue_worker WHERE is_alive = 1", 20);
        List<String> lives = database.strings(ALIVE);
        server.restart();
        awaitLocks(database, List.of("0"), 20);
        assertThat(database.strings(ALIVE)).isEqualTo(lives);
        Stage.enqueue(database, What.SUCCEED);
        await(database, "SELECT COUNT(*) FROM effect", 1);
        assertThat(database.strings(ALIVE)).isEqualTo(lives);
      } finally {
        workers.forEach(TestWorker::close);
      }
    }
  }

  /**
   * Of a server that was restarted seconds after its start, every free lock would tell of a death.
   */
  @Test
  @HasItsOwnServer
  void serverMark_isOneForAWholeRunAndAnotherForTheNextHoweverSoonItComes() throws Exception {
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start();
        QueueDatabase database = QueueDatabase.create(TestServer.of(server))) {
      ServerIncarnation first = mark(database);
      String next = "SELECT UNIX_TIMESTAMP() > " + database.count("SELECT UNIX_TIMESTAMP()");
      Await.until(
          "the next second", SOON, () -> markAnd(database, first, next), reached -> reached == 1);
      server.restart();
      assertThat(mark(database)).isNotEqualTo(first);
    }
  }

  private static long markAnd(QueueDatabase database, ServerIncarnation first, String query) {
    assertThat(mark(database)).isEqualTo(first);
    return database.count(query);
  }

  private static ServerIncarnation mark(QueueDatabase database) {
    try (Connection connection = database.connect()) {
      return ServerIncarnation.of(JooqSettings.dsl(connection, ServerDialect.of(connection)));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** One attempt is all that a message has: none may be counted for want of a database. */
  @Test
  @HasItsOwnServer
  void server_goneForLongerThanARetryAndAPoolTry_isRiddenOutByTheSameWorkerAndNothingIsLost()
      throws Exception {
    try (EmbeddedMariaDb server = EmbeddedMariaDb.start();
        QueueDatabase database = QueueDatabase.create(TestServer.of(server))) {
      new Ledgers(database).open();
      try (TestWorker worker = workerWithOneAttempt(database)) {
        List<String> lives = database.strings(ALIVE);
        killDuringAHandling(server, database);
        new CountDownLatch(1).await(GONE.toSeconds(), TimeUnit.SECONDS);
        server.restart();
        awaitLocks(database, List.of("0"), 1);
        assertThat(database.strings(ALIVE)).as("the same life").isEqualTo(lives);
        Stage.enqueue(database, What.SUCCEED);
        await(database, "SELECT COUNT(DISTINCT message_id) FROM effect", 2);
      }
      new Ledgers(database).balance();
      new Ledgers(database).allAre("acked");
    }
  }

  private static void killDuringAHandling(EmbeddedMariaDb server, QueueDatabase database)
      throws SQLException {
    try (Connection go = database.connect();
        Statement lock = go.createStatement()) {
      lock.execute("DO GET_LOCK(" + Step.GO + ", 0)");
      Stage.enqueue(database, What.WAIT_FOR_GO);
      awaitUncommittedEffect(database);
      server.kill();
    }
  }

  private static TestWorker workerWithOneAttempt(QueueDatabase database) {
    return TestWorker.start(
        database,
        config ->
            config
                .withThreads(2)
                .withLeaseDuration(LONG_LEASE)
                .withLeaseRenewInterval(Duration.ofSeconds(1))
                .withHandlers(HandlerDefaults.defaults().withMaxAttempts(1)),
        new StepModule());
  }
}
