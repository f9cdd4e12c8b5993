package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.QueueDatabase;
import io.rowqueue.testkit.server.TestServer;
import io.rowqueue.tests.process.Books;
import java.nio.file.Path;
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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goal: workers and producers whose URL names all nodes ride out that the primary changes, planned
 * or not. Method: two worker processes and a producer without rest; faults; the books.
 */
@Tag("full")
@EnabledIfSystemProperty(
    named = Cluster.SCRIPTS,
    matches = ".+",
    disabledReason = "NOT RUN: name the directory of the cluster scripts, see docs/scaling.md")
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
    new Books(database).open();
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
    Books books = new Books(database);
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
}
