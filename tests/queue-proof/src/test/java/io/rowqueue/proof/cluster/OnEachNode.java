package io.rowqueue.proof.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.inject.Module;
import io.rowqueue.database.FreshConnections;
import io.rowqueue.database.Transactions;
import io.rowqueue.handle.HandlerContext;
import io.rowqueue.handle.MessageHandler;
import io.rowqueue.message.NewMessage;
import io.rowqueue.message.Topic;
import io.rowqueue.proof.cluster.Cluster.Kind;
import io.rowqueue.testkit.Await;
import io.rowqueue.testkit.LambdaHandlers;
import io.rowqueue.tests.TestWorker;
import java.sql.DriverManager;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;

/** An application and a worker on each node of a cluster, all in this JVM. */
abstract class OnEachNode extends OnCluster {

  static final Topic TOPIC = new Topic("feature");
  static final Duration LONG = Duration.ofMinutes(3);
  static final String LEFT = "SELECT COUNT(*) FROM queue_message";

  OnEachNode(Kind kind) {
    super(kind);
  }

  @BeforeEach
  void createTable() {
    database()
        .execute(
            "CREATE TABLE turn (name VARCHAR(32) NOT NULL, number INT NOT NULL, PRIMARY KEY (name,"
                + " number))");
  }

  /** Of an application on {@code node}, whose connections are as the driver gives them. */
  DataSource on(int node) {
    return new FreshConnections(() -> DriverManager.getConnection(urlOf(node)));
  }

  void startOnEachNode(Module... handlers) {
    for (int node = 1; node <= Cluster.NODES; node++) {
      closing(TestWorker.startAt(urlOf(node), config -> config, handlers));
    }
  }

  static Module handler(MessageHandler<Integer> handler) {
    return LambdaHandlers.bind(TOPIC.name(), Integer.class, handler);
  }

  static NewMessage message(int number) {
    return NewMessage.of(TOPIC, number);
  }

  /** A second time is refused by the primary key. */
  static void write(String name, int number, HandlerContext context) {
    context.transaction().execute("INSERT INTO turn VALUES (?, ?)", name, number);
  }

  void awaitNoneLeft() {
    Await.until("an empty queue", LONG, () -> database().count(LEFT), left -> left == 0);
  }

  /** A node may be behind, and look empty while another has a message for it. */
  void awaitTurns(long all) {
    Await.until("all turns", LONG, this::turns, now -> now >= all);
    awaitNoneLeft();
    assertThat(turns()).isEqualTo(all);
  }

  long turns() {
    return database().count("SELECT COUNT(*) FROM turn");
  }

  <T> List<T> onEachNode(IntFunction<Callable<T>> work) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(Cluster.NODES);
    try {
      List<Callable<T>> all = IntStream.rangeClosed(1, Cluster.NODES).mapToObj(work).toList();
      List<T> results = new ArrayList<>();
      for (Future<T> one : threads.invokeAll(all, LONG.toSeconds(), TimeUnit.SECONDS)) {
        results.add(one.get());
      }
      return results;
    } finally {
      threads.shutdownNow();
    }
  }

  void awaitOnEachNode(String count, long expected) {
    for (int node = 1; node <= Cluster.NODES; node++) {
      try (TestWorker there = TestWorker.createAt(urlOf(node), config -> config)) {
        Await.until(
            "it is on node " + node,
            LONG,
            () ->
                there
                    .get(Transactions.class)
                    .read(dsl -> dsl.fetchSingle(count).get(0, Long.class)),
            now -> now == expected);
      }
    }
  }
}
