package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.proof.cluster.OnCluster.WorkerFleet;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.TestServer;
import io.rowqueue.tests.process.Ledgers;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: workers and producers whose URL names all nodes ride out that the primary changes, planned
 * or not. Method: two worker processes and a producer without rest; faults; the books.
 */
@NeedsClusters
class GroupReplicationIT {

  private static final Logger LOG = LoggerFactory.getLogger(GroupReplicationIT.class);

  private static final Duration LONG = Duration.ofMinutes(3);
  private static final int ROUNDS = Integer.getInteger("rowqueue.test.rounds", 3);

  private static Cluster cluster;

  @TempDir private Path folder;

  private QueueDatabase database;
  private WorkerFleet workers;
  private SteadyProducer producer;
  private final List<Recovery.Figures> figures = new ArrayList<>();

  @BeforeAll
  static void startCluster() {
    cluster = Cluster.start(Kind.GROUP_REPLICATION);
  }

  @AfterAll
  static void stopCluster() {
    cluster.close();
  }

  @BeforeEach
  void startWork() throws Exception {
    database = QueueDatabase.create(TestServer.at(cluster.url()));
    new Ledgers(database).open();
    database.execute(SteadyProducer.TABLE);
    workers = new WorkerFleet(folder);
    workers.start(database.url());
    workers.start(database.url());
    producer = SteadyProducer.start(database.url(), "till");
    awaitSteady();
  }

  @AfterEach
  void stopWork() throws Exception {
    producer.close();
    try (QueueDatabase used = database) {
      LOG.info("the schema {} is dropped", used.name());
      workers.close();
    }
    figures.forEach(each -> LOG.info("{}", each));
  }

  @Test
  void plannedSwitches_underLoad_areRiddenOutAndTheBooksBalance() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      int next = primary() % Cluster.NODES + 1;
      provoke("switch", next, () -> cluster.switchTo(next));
    }
    finish();
  }

  @Test
  void killedPrimaries_underLoad_areRiddenOutAndTheirReturnToo() throws Exception {
    for (int round = 0; round < ROUNDS; round++) {
      int victim = primary();
      provoke("kill", 0, () -> cluster.kill(victim));
      cluster.restart(victim);
      awaitSteady();
    }
    finish();
  }

  /** {@code next} is the node that is to take over, or 0 for any other. */
  private void provoke(String what, int next, Runnable fault) throws Exception {
    int before = primary();
    LocalDateTime began = Recovery.clockIfWritable(urlOf(before)).orElseThrow();
    Thread thread = new Thread(fault, what);
    thread.start();
    LocalDateTime writable =
        Await.until(
                "a writable node after " + what,
                LONG,
                () ->
                    IntStream.rangeClosed(1, Cluster.NODES)
                        .filter(node -> next == 0 ? node != before : node == next)
                        .mapToObj(node -> Recovery.clockIfWritable(urlOf(node)))
                        .flatMap(Optional::stream)
                        .findFirst(),
                Optional::isPresent)
            .orElseThrow();
    thread.join();
    figures.add(new Recovery(what + " of node " + before, began, writable).await(database));
    workers.allRun();
  }

  private int primary() {
    return Await.until(
        "a primary",
        LONG,
        () ->
            IntStream.rangeClosed(1, Cluster.NODES)
                .filter(node -> Recovery.clockIfWritable(urlOf(node)).isPresent())
                .findFirst()
                .orElse(0),
        node -> node > 0);
  }

  private String urlOf(int node) {
    return TestServer.at(cluster.urlOf(node)).url(database.name());
  }

  /** So many messages have been handled since now that everybody works. */
  private void awaitSteady() {
    String handled = "SELECT COUNT(*) FROM effect";
    long before = database.count(handled);
    Await.until("a steady flow", LONG, () -> database.count(handled), now -> now > before + 2_000);
  }

  private void finish() throws Exception {
    producer.close();
    Await.until(
        "an empty queue",
        LONG,
        () -> database.count("SELECT COUNT(*) FROM queue_message"),
        left -> left == 0);
    workers.allRun();
    Ledgers books = new Ledgers(database);
    books.balance();
    books.allAre("acked");
    assertThat(database.count("SELECT SUM(messages) FROM placed"))
        .as("messages of the producer's committed transactions")
        .isEqualTo(database.count("SELECT COUNT(*) FROM enqueued"));
    LOG.info(
        "{} messages; {} effects of second or later claims",
        database.count("SELECT COUNT(*) FROM effect"),
        database.count("SELECT COUNT(*) FROM effect WHERE claim > 1"));
  }

  /** One fault and what came after it, by the servers' clock, which is this machine's. */
  record Recovery(String what, LocalDateTime began, LocalDateTime writable) {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** The clock of a server that takes writes; empty while this one does not, or is gone. */
    static Optional<LocalDateTime> clockIfWritable(String urlOfOne) {
      try (Connection connection = DriverManager.getConnection(urlOfOne);
          Statement statement = connection.createStatement();
          ResultSet row =
              statement.executeQuery("SELECT IF(@@read_only, NULL, UTC_TIMESTAMP(6))")) {
        row.next();
        return Optional.ofNullable(row.getObject(1, LocalDateTime.class));
      } catch (SQLException e) {
        return Optional.empty();
      }
    }

    /** Waits until messages are handled and enqueued again for some seconds. */
    Figures await(QueueDatabase database) {
      Await.until(
          "ten seconds of handling after " + what,
          LONGEST,
          () ->
              database.count(
                  "SELECT COUNT(*) FROM effect WHERE handled_at > '%s' + INTERVAL 10 SECOND"
                      .formatted(writable)),
          handled -> handled > 0);
      return new Figures(
          what,
          millis(began, writable),
          first(database, "handled_at", "effect"),
          rate(database, began.minusSeconds(5), 5),
          rate(database, writable, 5),
          rate(database, writable.plusSeconds(5), 5));
    }

    private long first(QueueDatabase database, String column, String table) {
      return database.count(
          "SELECT TIMESTAMPDIFF(MICROSECOND, '%2$s', MIN(%1$s)) DIV 1000 FROM %3$s WHERE %1$s > '%2$s'"
              .formatted(column, writable, table));
    }

    private static long rate(QueueDatabase database, LocalDateTime from, int seconds) {
      return database.count(
              "SELECT COUNT(*) FROM effect WHERE handled_at >= '%s' AND handled_at < '%s'"
                  .formatted(from, from.plusSeconds(seconds)))
          / seconds;
    }

    private static long millis(LocalDateTime from, LocalDateTime to) {
      return Duration.between(from, to).toMillis();
    }

    /**
     * What was measured.
     *
     * @param what the fault
     * @param unwritableMillis how long no server took writes
     * @param firstMillis from the first writable moment to the first handled message
     * @param before messages handled a second in the five seconds before
     * @param after in the first five seconds in which a server took writes
     * @param later in the five seconds after those
     */
    record Figures(
        String what, long unwritableMillis, long firstMillis, long before, long after, long later) {

      @Override
      public String toString() {
        return "%-28s writable after %6d ms, first handled %5d ms later; per second: %4d before, %4d in the first 5 s, %4d in the next 5"
            .formatted(what, unwritableMillis, firstMillis, before, after, later);
      }
    }
  }
}
